/**
 * How a process that holds ten thousand connections uses memory. A connection is offered 64 KB to
 * read into and uses one page of them: as a mapping of its own the rest is never there. Few arenas,
 * a small young generation and an old one that is swept before it has grown by half keep the
 * garbage of ten thousand joins from staying. bin/hostwright sets the same.
 */
import { setFlagsFromString } from 'node:v8';

export const SERVER_ENVIRONMENT = {
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_ARENA_MAX: '2',
  NODE_OPTIONS: '--max-semi-space-size=4',
} as const;

/** What can be set in a process that runs already. */
export const keepHeapSmall = (): void => setFlagsFromString('--heap-growing-percent=25');
