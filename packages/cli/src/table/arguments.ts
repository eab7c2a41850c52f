/** Arguments and options that commands of several files take. */
import type { OptionSpec } from '../spec.ts';

export const NODE = { name: 'node', summary: 'name or id', completes: 'node' } as const;
export const LIMIT: OptionSpec = { flags: '--limit <number>', summary: 'most lines to show' };
