import type { MasterKey } from '@hostwright/engine';

/** What a server must be told. Everything has a default but the data folder. */
export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
  /** PEM of the chain's CA, if clients need to be told. */
  readonly ca?: string;
}

export interface ServerConfig {
  /** Holds the CA and its key (0600). */
  readonly dataDir: string;
  readonly host?: string;
  /** 0: the OS chooses. */
  readonly port?: number;
  /** `own`: Hostwright's own CA; files: given certificates; `off`: plain HTTP, behind a proxy or in tests. */
  readonly tls?: 'own' | 'off' | TlsFiles;
  /** More names and addresses that the certificate must hold. */
  readonly names?: readonly string[];
  /** The URL that people and machines reach the server by; default: the first name and the port. */
  readonly publicUrl?: string;
  /** Where loaders ask, in plain HTTP; what previews of installations show. */
  readonly bootUrl?: string;
  /** Where the files lie that loaders and installers fetch; default: `boot` in the data folder. */
  readonly bootFolder?: string;
  readonly sessionHours?: number;
  /** Folder of the built console; default: packages/console/dist. */
  readonly consoleDir?: string;
  /** Seals secrets; default: master.key of the data folder. */
  readonly master?: MasterKey;
  /** Answers are checked against the contract: for tests, too dear for a busy server. */
  readonly checkAnswers?: boolean;
  /** Told to the console, which then says so. */
  readonly simulator?: boolean;
  /** An event stream whose client has read nothing for this long is ended; 30 by default. */
  readonly streamStallSeconds?: number;
  /** Behind a proxy whose X-Forwarded-For can be believed. */
  readonly trustProxy?: boolean;
}

export const DEFAULTS = {
  host: '0.0.0.0',
  port: 8443,
  sessionHours: 24 * 7,
  bodyLimit: 1024 * 1024,
} as const;
