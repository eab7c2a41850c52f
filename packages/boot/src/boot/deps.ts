import type { Database } from '@hostwright/engine';
import type { FileStore } from '../files/serve.ts';

/** What the boot endpoint needs of its surroundings. */
export interface BootDeps {
  readonly database: Database;
  readonly files: FileStore;
  /** Plain HTTP, because firmware loaders know no CA of ours: `http://10.0.0.1:8080`. */
  readonly bootUrl: string;
  /** Where agents and installers talk to: `https://10.0.0.1:8443`. */
  readonly serverUrl: string;
  /** The CA that signs serverUrl; travels in the seed, so that machines check whom they talk to. */
  readonly caPem: string;
  /** The agent, as it is put into installed systems. */
  readonly agentScript: () => Promise<string>;
  readonly log: {
    info(detail: object, text: string): void;
    warn(detail: object, text: string): void;
  };
}
