/** The jigs a worker carries: put together here, and nowhere else. */
import type { Database, Jig, Log, MasterKey } from '@hostwright/engine';
import { createTestJig, noopJig } from '@hostwright/jigs';

export interface JigSurroundings {
  readonly database: Database;
  readonly master: MasterKey;
  readonly log: Log;
}

export const openJigs = (_around: JigSurroundings): readonly Jig[] => [noopJig, createTestJig()];
