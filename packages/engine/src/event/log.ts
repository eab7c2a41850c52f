/** What the engine needs of a logger; a pino logger is one. */
export interface Log {
  debug(detail: object, text: string): void;
  info(detail: object, text: string): void;
  warn(detail: object, text: string): void;
  error(detail: object, text: string): void;
}

export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
