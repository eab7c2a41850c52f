/**
 * Carries a plan out, in one transaction however large: no choices are left here. Two commits of one
 * snapshot at once: one wins, the other reads who did. A plan hash that no longer holds is refused
 * with what has moved.
 */
import { HostwrightError, whatMoved, type ReadSet } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { lockTree } from '../deployment/lock-tree.ts';
import { emit } from '../event/emit.ts';
import { runVetoes } from '../hook/veto.ts';
import { applyPlan } from './apply-plan.ts';
import { questionOf, type PlanAdviser } from './advise.ts';
import type { ConsentGiven } from './give-consents.ts';
import { loadPlan, type LoadedPlan } from './load-plan.ts';
import { findWhetherEmpty } from './find-whether-empty.ts';
import { asPlan, type Plan } from './plan.ts';
import { checkEdits, lockProposal, readSnapshot, type SnapshotRecord } from './read.ts';

export interface CommitOptions {
  readonly snapshotId: number;
  readonly actor: string;
  /** Refuse unless this plan still holds. */
  readonly planHash?: string | undefined;
  readonly message?: string | undefined;
  readonly edits?: number | undefined;
  readonly rollingLimit?: number | undefined;
  readonly canary?: number | undefined;
  readonly stopAfterFailures?: number | undefined;
  /** Leave to do what is destructive in the plan, by disk. */
  readonly consent?: readonly ConsentGiven[] | undefined;
  /** Those who were asked when the plan was made. */
  readonly advisers?: readonly PlanAdviser[] | undefined;
}

export interface CommitAnswer {
  readonly snapshot: SnapshotRecord;
  readonly plan: Plan;
}

const checkHash = async (
  tx: Tx,
  snapshot: SnapshotRecord,
  { plan, planHash }: { readonly plan: LoadedPlan; readonly planHash: string },
): Promise<void> => {
  if (planHash === plan.hash) return;
  const { rows } = await sql<{ read_set: ReadSet }>`
    select read_set from plan where snapshot_id = ${snapshot.id} and hash = ${planHash.slice(0, 128)}`.execute(
    tx,
  );
  const before = rows[0]?.read_set;
  const moved = before === undefined ? [] : whatMoved(before, plan.readSet);
  const named = moved.slice(0, 10).map(({ what }) => what);
  throw new HostwrightError('plan_moved', {
    message:
      before === undefined
        ? 'no plan of this snapshot has this hash'
        : `since the plan was made, something has moved: ${named.join(', ')}${moved.length > 10 ? ` and ${moved.length - 10} more` : ''}`,
    public: { moved: moved.slice(0, 100), hash: plan.hash },
    refusals: moved.slice(0, 100).map(({ what, from, to }) => ({
      code: 'moved',
      path: what,
      message: `${what} has moved (${from ?? 'not there'} -> ${to ?? 'gone'})`,
    })),
  });
};

const inRange = (options: CommitOptions): void => {
  const refusals = (['rollingLimit', 'canary', 'stopAfterFailures'] as const).flatMap((field) => {
    const value = options[field];
    return value === undefined || (Number.isInteger(value) && value >= 1 && value <= 1_000_000)
      ? []
      : [
          {
            code: 'out_of_range',
            path: field,
            message: `${field} is a whole number from 1 to 1000000`,
          },
        ];
  });
  if (refusals.length > 0) throw new HostwrightError('bad_input', { refusals });
};

const closeSnapshots = async (
  tx: Tx,
  snapshot: SnapshotRecord,
  options: CommitOptions & { readonly hash: string },
): Promise<void> => {
  await sql`update snapshot set state = 'superseded' where deployment_id = ${snapshot.deploymentId} and state = 'committed'`.execute(
    tx,
  );
  await tx
    .updateTable('snapshot')
    .set({
      state: 'committed',
      committed_by: options.actor,
      committed_at: new Date(),
      plan_hash: options.hash,
      message: options.message ?? snapshot.message,
      rolling_limit: options.rollingLimit ?? null,
      canary: options.canary ?? null,
      stop_after_failures: options.stopAfterFailures ?? null,
    })
    .where('id', '=', snapshot.id)
    .execute();
  await sql`delete from plan where snapshot_id = ${snapshot.id}`.execute(tx);
};

const commitOnce = async (tx: Tx, options: CommitOptions): Promise<CommitAnswer> => {
  await lockTree(tx, 'alone');
  const snapshot = await lockProposal(tx, options.snapshotId);
  checkEdits(snapshot, options.edits);
  await sql`select id from deployment where id = ${snapshot.deploymentId} for update`.execute(tx);
  const advisers = options.advisers ?? [];
  const plan = await loadPlan(tx, snapshot, advisers);
  if (options.planHash !== undefined)
    await checkHash(tx, snapshot, { plan, planHash: options.planHash });
  const refusals = [
    ...plan.result.refusals,
    ...(await runVetoes(tx, {
      hook: 'onCommit',
      deploymentId: snapshot.deploymentId,
      snapshotId: snapshot.id,
    })),
  ];
  if (refusals.length > 0)
    throw new HostwrightError('refused', {
      message: `the commit is refused: ${refusals[0]?.message ?? ''}${refusals.length > 1 ? `, and ${refusals.length - 1} more` : ''}`,
      refusals,
    });
  const consents = options.consent?.length ?? 0;
  if (consents === 0 && (await findWhetherEmpty(tx, { snapshot, plan })))
    throw new HostwrightError('nothing_to_commit', {
      message: `the proposal of ${snapshot.deployment} changes nothing: there is nothing to commit`,
    });
  await closeSnapshots(tx, snapshot, { ...options, hash: plan.hash });
  await applyPlan(tx, { snapshot, plan, options });
  const question = questionOf(tx, snapshot, plan.result);
  for (const adviser of advisers) await adviser.carryOut?.(tx, question);
  await emit(tx, {
    kind: 'snapshot.committed',
    deploymentId: snapshot.deploymentId,
    payload: {
      snapshotId: snapshot.id,
      revision: snapshot.revision,
      actor: options.actor,
      added: plan.result.add.length,
      changed: plan.result.change.length,
      rerun: plan.result.rerun.length + plan.rerunBelow.length,
      removed: plan.result.teardown.length,
    },
  });
  return { snapshot: await readSnapshot(tx, snapshot.id), plan: asPlan(snapshot, plan) };
};

export const commitSnapshot = async (db: Db, options: CommitOptions): Promise<CommitAnswer> => {
  inRange(options);
  return transaction(db, (tx) => commitOnce(tx, options));
};
