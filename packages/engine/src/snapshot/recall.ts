/**
 * Stops a commit that is being carried out. Its content becomes a proposal again; noderoles that
 * never ran return to proposed; those that ran before and were to run again are held; what runs
 * drains, or is cancelled on request; what is active stays.
 */
import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { lockTree } from '../deployment/lock-tree.ts';
import { emit } from '../event/emit.ts';
import { stopRuns } from '../run/stop-runs.ts';
import { openProposal } from './propose.ts';
import { readSnapshot, type SnapshotRecord } from './read.ts';

export interface RecallOptions {
  readonly snapshotId: number;
  readonly actor: string;
  /** What to do with runs that are under way; default drain. */
  readonly running?: 'drain' | 'cancel' | undefined;
}

export interface Recalled {
  readonly recalled: SnapshotRecord;
  /** The new proposal with the same content. */
  readonly proposal: SnapshotRecord;
}

const lockCommitted = async (tx: Tx, id: number): Promise<SnapshotRecord> => {
  await sql`select id from snapshot where id = ${id} for update`.execute(tx);
  const snapshot = await readSnapshot(tx, id);
  if (snapshot.state !== 'committed')
    throw new HostwrightError('conflict', {
      message: `snapshot ${snapshot.revision} of ${snapshot.deployment} is ${snapshot.state}: only the committed one can be recalled`,
      public: { state: snapshot.state },
    });
  const { rows } = await sql<{ revision: number }>`
    select revision from snapshot where deployment_id = ${snapshot.deploymentId} and state = 'proposed'`.execute(
    tx,
  );
  if (rows[0] !== undefined)
    throw new HostwrightError('conflict', {
      message: `there is a proposal already (revision ${rows[0].revision}): discard it before recalling`,
    });
  return snapshot;
};

export const recallSnapshot = async (db: Db, options: RecallOptions): Promise<Recalled> =>
  transaction(db, async (tx) => {
    await lockTree(tx, 'alone');
    const snapshot = await lockCommitted(tx, options.snapshotId);
    await sql`select from noderole where snapshot_id = ${snapshot.id} and state <> 'active' order by id for update`.execute(
      tx,
    );
    await sql`
      update noderole set state = 'proposed', state_since = now(), blocked_by = null, reason = '', holds = '{}', not_before = null,
        revision = revision + 1
      where snapshot_id = ${snapshot.id} and state in ('todo', 'blocked') and run_count = 0 and failures = 0 and not removing`.execute(
      tx,
    );
    await sql`
      update noderole set holds = array_append(holds, 'halted')
      where snapshot_id = ${snapshot.id} and state in ('todo', 'blocked') and not removing and not 'halted' = any(holds)`.execute(
      tx,
    );
    await sql`update snapshot set state = 'recalled' where id = ${snapshot.id}`.execute(tx);
    if (options.running === 'cancel') {
      const { rows } = await sql<{ run_id: number }>`
        select run_id from noderole where snapshot_id = ${snapshot.id} and state = 'transition' and run_id is not null order by id`.execute(
        tx,
      );
      await stopRuns(tx, {
        runIds: rows.map((row) => row.run_id),
        why: `commit ${snapshot.revision} recalled by ${options.actor}`,
      });
    }
    await emit(tx, {
      kind: 'snapshot.recalled',
      deploymentId: snapshot.deploymentId,
      payload: { snapshotId: snapshot.id, revision: snapshot.revision, actor: options.actor },
    });
    const proposal = await openProposal(tx, {
      deploymentId: snapshot.deploymentId,
      actor: options.actor,
      message: `recalled: ${snapshot.message}`.replace(/: $/, ''),
    });
    return { recalled: await readSnapshot(tx, snapshot.id), proposal };
  });
