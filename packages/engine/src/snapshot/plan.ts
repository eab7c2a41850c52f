/** What a commit of a proposal would do. Kept by its hash, so that a commit can say what has moved. */
import type { PlanOutcome } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { HostwrightError } from '@hostwright/core';
import type { PlanAdviser, PlanEffect } from './advise.ts';
import { loadPlan, type LoadedPlan } from './load-plan.ts';
import { readSnapshot, type SnapshotRecord } from './read.ts';

export interface Plan extends PlanOutcome {
  readonly snapshotId: number;
  readonly deploymentId: number;
  readonly revision: number;
  readonly hash: string;
  /** Addresses, DNS names, boot changes: told by those who know of them. */
  readonly effects: readonly PlanEffect[];
}

export const asPlan = (snapshot: SnapshotRecord, plan: LoadedPlan): Plan => {
  const { add, change, rerun, teardown, keep, pulledIn, destructive, refusals } = plan.result;
  return {
    snapshotId: snapshot.id,
    deploymentId: snapshot.deploymentId,
    revision: snapshot.revision,
    hash: plan.hash,
    add,
    change,
    rerun: [...rerun, ...plan.rerunBelow],
    teardown,
    keep,
    pulledIn,
    destructive,
    refusals,
    effects: plan.effects,
  };
};

/** A proposal edited by many is planned many times; only the latest plans are worth keeping. */
const KEPT_PLANS = 20;

export const planSnapshot = async (
  db: Db,
  snapshotId: number,
  advisers: readonly PlanAdviser[] = [],
): Promise<Plan> => {
  // one snapshot of the database for all reads: a plan is never half old and half new
  const { snapshot, plan } = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const read = await readSnapshot(tx, snapshotId);
      if (read.state !== 'proposed')
        throw new HostwrightError('conflict', {
          message: `snapshot ${read.revision} of ${read.deployment} is ${read.state}: only a proposal has a plan`,
        });
      return { snapshot: read, plan: await loadPlan(tx, read, advisers) };
    });
  await sql`
    with kept as (
      insert into plan (snapshot_id, hash, read_set)
      select s.id, ${plan.hash}::text, ${JSON.stringify(plan.readSet)}::jsonb from snapshot s where s.id = ${snapshotId} and s.state = 'proposed'
      on conflict (snapshot_id, hash) do update set created_at = now()
    )
    delete from plan where snapshot_id = ${snapshotId} and hash in (
      select hash from plan where snapshot_id = ${snapshotId} order by created_at desc offset ${KEPT_PLANS})`.execute(
    db,
  );
  return asPlan(snapshot, plan);
};
