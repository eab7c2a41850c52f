import { pino, type Logger } from 'pino';

/** The log of a long-running process: one JSON object per line on standard output. */
export const openLog = (name: string): Logger =>
  pino({ name, level: process.env['HOSTWRIGHT_LOG'] ?? 'info', base: { pid: process.pid } });
