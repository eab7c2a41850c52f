import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';

export type SnapshotState = 'proposed' | 'committed' | 'superseded' | 'recalled';

export interface SnapshotRecord {
  readonly id: number;
  readonly deploymentId: number;
  readonly deployment: string;
  readonly revision: number;
  readonly state: SnapshotState;
  readonly message: string;
  readonly basedOn: number | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly committedBy: string | null;
  readonly committedAt: Date | null;
  readonly planHash: string | null;
  readonly rollingLimit: number | null;
  readonly canary: number | null;
  readonly stopAfterFailures: number | null;
  readonly canaryPassedAt: Date | null;
  readonly haltedAt: Date | null;
  readonly haltedReason: string | null;
  readonly finishedAt: Date | null;
  readonly edits: number;
}

const COLUMNS =
  sql.raw(`s.id, s.deployment_id as "deploymentId", d.name as deployment, s.revision, s.state, s.message,
  s.based_on as "basedOn", s.created_by as "createdBy", s.created_at as "createdAt", s.committed_by as "committedBy",
  s.committed_at as "committedAt", s.plan_hash as "planHash", s.rolling_limit as "rollingLimit", s.canary,
  s.stop_after_failures as "stopAfterFailures", s.canary_passed_at as "canaryPassedAt", s.halted_at as "haltedAt",
  s.halted_reason as "haltedReason", s.finished_at as "finishedAt", s.edits`);

export const readSnapshot = async (db: Db | Tx, id: number): Promise<SnapshotRecord> => {
  const { rows } = await sql<SnapshotRecord>`
    select ${COLUMNS} from snapshot s join deployment d on d.id = s.deployment_id where s.id = ${id}`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined)
    throw new HostwrightError('not_found', { message: `there is no snapshot ${id}` });
  return row;
};

/** The time line of a deployment, newest first. */
export const listSnapshots = async (
  db: Db | Tx,
  options: {
    readonly deploymentId: number;
    readonly before?: number | undefined;
    readonly limit?: number | undefined;
  },
): Promise<SnapshotRecord[]> => {
  const { rows } = await sql<SnapshotRecord>`
    select ${COLUMNS} from snapshot s join deployment d on d.id = s.deployment_id
    where s.deployment_id = ${options.deploymentId} and s.revision < ${options.before ?? 2_147_483_647}
    order by s.revision desc limit ${options.limit ?? 100}`.execute(db);
  return rows;
};

const IN_WORDS = {
  committed: 'is committed',
  superseded: 'was committed and is superseded by a later one',
  recalled: 'was recalled',
} as const;

/** Locks a proposal for an edit; anything but a proposal is refused with what it is instead. */
export const lockProposal = async (tx: Tx, id: number): Promise<SnapshotRecord> => {
  await sql`select id from snapshot where id = ${id} for update`.execute(tx);
  const snapshot = await readSnapshot(tx, id);
  if (snapshot.state !== 'proposed')
    throw new HostwrightError('conflict', {
      message: `snapshot ${snapshot.revision} of ${snapshot.deployment} ${IN_WORDS[snapshot.state]}${snapshot.committedBy === null ? '' : ` (by ${snapshot.committedBy})`}: only a proposal can be changed`,
      public: { state: snapshot.state },
    });
  return snapshot;
};

export const checkEdits = (snapshot: SnapshotRecord, edits: number | undefined): void => {
  if (edits !== undefined && edits !== snapshot.edits)
    throw new HostwrightError('precondition_failed', { public: { edits: snapshot.edits } });
};
