import type { Database, Log, MasterKey } from '@hostwright/engine';
import type { OwnAddresses } from './join-url.ts';

export interface AgentDeps {
  readonly database: Database;
  readonly log: Log;
  /** What agents verify the server with: its own CA, or the chain of the given certificate. */
  readonly caPem: string;
  /** Opens bundles, which are stored sealed because attributes may hold secrets. */
  readonly master: MasterKey;
  /** How machines reach this server; /join may choose among its names, if none is configured. */
  readonly addresses: () => OwnAddresses;
}
