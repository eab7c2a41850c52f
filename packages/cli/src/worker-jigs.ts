/** The jigs a worker carries: put together here, and nowhere else. */
import {
  findTransition,
  recordEvidence,
  transaction,
  type Database,
  type Jig,
  type Log,
  type MasterKey,
} from '@hostwright/engine';
import {
  createRoleProvidedJig,
  createScriptJig,
  createTestJig,
  noopJig,
  TEST_EVIDENCE,
  type Transition,
} from '@hostwright/jigs';
import { bootTransitions } from '@hostwright/server';

export interface OpenJigs {
  readonly jigs: readonly Jig[];
  /** Lets go of connections that are kept; what runs on machines goes on. */
  close(): void;
}

export const openJigs = (around: {
  readonly database: Database;
  readonly master: MasterKey;
  readonly log: Log;
  /** The data folder: what boot services write is there. Without it their roles have no transition. */
  readonly folder?: string;
}): OpenJigs => {
  const { db } = around.database;
  const script = createScriptJig(around);
  const boot: Readonly<Record<string, Transition>> =
    around.folder === undefined ? {} : bootTransitions({ ...around, folder: around.folder });
  const jigs = [
    noopJig,
    createTestJig({
      onWaited: async (runId) => {
        await transaction(db, (tx) =>
          recordEvidence(tx, { runId, key: TEST_EVIDENCE, payload: {} }),
        );
      },
    }),
    createRoleProvidedJig({
      find: async (barclamp, role) => boot[role] ?? findTransition(db, { barclamp, role }),
    }),
    script,
  ];
  return { jigs, close: () => script.close() };
};
