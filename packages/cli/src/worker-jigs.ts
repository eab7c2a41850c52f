/** The jigs a worker carries: put together here, and nowhere else. */
import type { Database, Jig, Log } from '@hostwright/engine';
import { createTestJig, noopJig } from '@hostwright/jigs';

export interface JigSurroundings {
  readonly database: Database;
  /** The data folder: keys and scripts are found from here. */
  readonly folder: string;
  readonly log: Log;
}

export const openJigs = (_around: JigSurroundings): readonly Jig[] => [noopJig, createTestJig()];
