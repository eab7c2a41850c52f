import type { Database, Log, MasterKey } from '@hostwright/engine';

export interface AgentDeps {
  readonly database: Database;
  readonly log: Log;
  /** What agents verify the server with: its own CA, or the chain of the given certificate. */
  readonly caPem: string;
  /** Opens bundles, which are stored sealed because attributes may hold secrets. */
  readonly master: MasterKey;
  /** How machines reach this server. Default: as the caller of /join reached it. */
  readonly publicUrl?: string;
}
