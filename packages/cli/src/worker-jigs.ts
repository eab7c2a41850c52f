/** The jigs a worker carries: put together here, and nowhere else. */
import {
  findTransition,
  type Database,
  type Jig,
  type Log,
  type MasterKey,
} from '@hostwright/engine';
import { createRoleProvidedJig, createScriptJig, createTestJig, noopJig } from '@hostwright/jigs';

export interface OpenJigs {
  readonly jigs: readonly Jig[];
  /** Lets go of connections that are kept; what runs on machines goes on. */
  close(): void;
}

export const openJigs = (around: {
  readonly database: Database;
  readonly master: MasterKey;
  readonly log: Log;
}): OpenJigs => {
  const { db } = around.database;
  const script = createScriptJig(around);
  const jigs = [
    noopJig,
    createTestJig(),
    createRoleProvidedJig({ find: (barclamp, role) => findTransition(db, { barclamp, role }) }),
    script,
  ];
  return { jigs, close: () => script.close() };
};
