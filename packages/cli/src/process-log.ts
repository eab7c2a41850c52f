import { destination, pino, type Logger } from 'pino';

/** The log of a long-running process: one JSON object per line, on standard output or in a file. */
export const openLog = (name: string, file?: string): Logger => {
  const options = {
    name,
    level: process.env['HOSTWRIGHT_LOG'] ?? 'info',
    base: { pid: process.pid },
  };
  return file === undefined ? pino(options) : pino(options, destination(file));
};
