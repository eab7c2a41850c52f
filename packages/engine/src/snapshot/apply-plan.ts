/** The writes of a commit: bindings that the plan completed, noderoles, edges, links, removals, inputs. */
import type { Bound, GraphItem } from '@hostwright/core';
import { sql } from 'kysely';
import { reconsiderInputs } from '../attribs/reconsider-inputs.ts';
import {
  ensureDeploymentRoles,
  insertBindings,
  removeBindings,
} from '../binding/write-bindings.ts';
import type { Tx } from '../db/open.ts';
import { markFromParents } from '../noderole/mark-descendants.ts';
import { removeNoderoles } from '../noderole/remove-noderoles.ts';
import { startRollout } from '../rollout/start-rollout.ts';
import { growClusters, pruneClusters, raiseCohortsBelow } from './follow-below.ts';
import { giveConsents, type ConsentGiven } from './give-consents.ts';
import { linkAttribs } from './link-attribs.ts';
import type { LoadedPlan } from './load-plan.ts';
import type { SnapshotRecord } from './read.ts';
import {
  dropEdgesOf,
  insertEdges,
  insertNoderoles,
  lockParents,
  recommitNoderoles,
  recountPending,
  reserveIds,
  type EdgeRow,
  type NewNoderole,
} from './write-noderoles.ts';

export interface Apply {
  readonly snapshot: SnapshotRecord;
  readonly plan: LoadedPlan;
  readonly options: {
    readonly actor: string;
    readonly rollingLimit?: number | undefined;
    readonly canary?: number | undefined;
    readonly stopAfterFailures?: number | undefined;
    readonly consent?: readonly ConsentGiven[] | undefined;
  };
}

/** The bindings that were pulled in or fell away since the proposal was last edited. */
const completeBindings = async (tx: Tx, { snapshot, plan }: Apply): Promise<void> => {
  const wanted = new Set(plan.result.items.map((item) => item.bound));
  const unneeded = plan.loaded.own.filter(({ bound }) => !wanted.has(bound));
  await removeBindings(
    tx,
    snapshot,
    unneeded.map(({ row }) => row),
  );
  await insertBindings(
    tx,
    snapshot,
    plan.result.newlyRequired.map(({ bound, reason }) => ({
      roleId: bound.roleId,
      nodeId: bound.nodeId,
      origin: 'required',
      reason,
      data: null,
    })),
  );
  if (plan.result.newlyRequired.length > 0)
    await ensureDeploymentRoles(
      tx,
      snapshot,
      plan.result.newlyRequired.map(({ bound }) => bound.roleId),
    );
};

const edgesOf = (items: readonly GraphItem[], idOf: (bound: Bound) => number): EdgeRow[] => {
  const edges: EdgeRow[] = [];
  for (const { bound, hard, soft } of items) {
    const child = idOf(bound);
    for (const parent of hard) edges.push({ parent: idOf(parent), child, soft: false });
    for (const parent of soft) edges.push({ parent: idOf(parent), child, soft: true });
  }
  return edges;
};

/**
 * What earlier commits left unfinished goes on under this one; holds of a rollout that nobody
 * advances any more would keep it for ever.
 */
const takeOver = async (tx: Tx, snapshot: SnapshotRecord): Promise<void> => {
  await sql`
    update noderole set snapshot_id = ${snapshot.id}, holds = array(select h from unnest(holds) h where h not in ('rolling', 'halted'))
    where deployment_id = ${snapshot.deploymentId} and state in ('todo', 'blocked', 'transition') and snapshot_id <> ${snapshot.id}`.execute(
    tx,
  );
};

/** A node that gets work in a deployment below its own belongs there from now on. */
const adoptNodes = async (tx: Tx, { snapshot, plan }: Apply): Promise<void> => {
  const up = plan.loaded.chain.slice(1).map((link) => link.id);
  const nodeIds = [...new Set(plan.result.add.map((item) => item.nodeId))].filter((id) => {
    const node = plan.loaded.board.nodes.get(id);
    return node !== undefined && !node.admin && up.includes(node.deploymentId);
  });
  if (nodeIds.length > 0)
    await sql`
      update node set deployment_id = ${snapshot.deploymentId}, revision = revision + 1, updated_at = now()
      where id = any(${nodeIds}::bigint[])`.execute(tx);
};

export const applyPlan = async (tx: Tx, apply: Apply): Promise<void> => {
  const { snapshot, plan, options } = apply;
  const { result, loaded } = plan;
  const { catalogue } = loaded.board;
  const cause = `commit ${snapshot.revision} of ${snapshot.deployment}`;
  await completeBindings(tx, apply);
  await takeOver(tx, snapshot);

  const fresh = result.items.filter(({ bound }) => result.standingAt(bound) === undefined);
  const recommitted = result.items.filter(
    ({ bound }) => result.standingAt(bound)?.state === 'proposed',
  );
  const newIds = await reserveIds(tx, fresh.length);
  const freshIds = new Map(fresh.map(({ bound }, index) => [bound, newIds[index] ?? 0]));
  const idOf = (bound: Bound): number =>
    freshIds.get(bound) ?? loaded.elsewhere.get(bound)?.id ?? result.standingAt(bound)?.id ?? 0;

  const changed = new Map(result.change.map((change) => [change.noderoleId ?? 0, change]));
  const rewired = result.items.filter(({ bound }) => {
    const change = changed.get(result.standingAt(bound)?.id ?? -1);
    return (
      change !== undefined && (change.what.includes('parents') || change.what.includes('order'))
    );
  });
  const written = [...fresh, ...recommitted, ...rewired];
  const parentIds = new Set<number>();
  for (const { hard } of written)
    for (const parent of hard) if (!freshIds.has(parent)) parentIds.add(idOf(parent));
  const parents = await lockParents(
    tx,
    [...parentIds].toSorted((a, b) => a - b),
  );

  const rolls = options.rollingLimit !== undefined || options.canary !== undefined;
  const holds = rolls ? ['rolling'] : [];
  const pending = ({ item }: NewNoderole): number => {
    let count = 0;
    for (const parent of item.hard)
      if (freshIds.has(parent) || parents.get(idOf(parent))?.state !== 'active') count++;
    return count;
  };
  const asNew = (item: GraphItem): NewNoderole => {
    const role = catalogue.byId.get(item.bound.roleId);
    return {
      id: idOf(item.bound),
      item,
      lane: role?.lane ?? 'host',
      priority: role?.priority ?? 0,
      data: plan.data.get(item.bound) ?? null,
      holds,
    };
  };
  await insertNoderoles(tx, {
    deploymentId: snapshot.deploymentId,
    snapshotId: snapshot.id,
    cause,
    rows: fresh.map(asNew),
    pending,
  });
  await recommitNoderoles(tx, {
    snapshotId: snapshot.id,
    cause,
    rows: recommitted.map(asNew),
    pending,
  });

  const rewiredIds = [...recommitted, ...rewired].map(({ bound }) => idOf(bound));
  await dropEdgesOf(tx, rewiredIds);
  await insertEdges(tx, edgesOf(written, idOf));
  await linkAttribs(tx, { catalogue, items: written, idOf, relink: rewiredIds });
  await updateChanged(tx, apply, { rewired, idOf });
  const joined = await growClusters(tx, {
    catalogue,
    fresh,
    idOf,
    deploymentId: snapshot.deploymentId,
  });
  const left = await pruneClusters(tx, {
    deploymentId: snapshot.deploymentId,
    removed: result.teardown.flatMap((item) => item.noderoleId ?? []),
  });
  await recountPending(
    tx,
    [...new Set([...rewired.map(({ bound }) => idOf(bound)), ...joined, ...left])].toSorted(
      (a, b) => a - b,
    ),
  );
  if (loaded.board.below.size > 0) await raiseCohortsBelow(tx, snapshot.deploymentId);
  const underFailed = written
    .filter(({ hard }) => hard.some((parent) => parents.get(idOf(parent))?.failed === true))
    .map(({ bound }) => idOf(bound));
  if (underFailed.length > 0) await markFromParents(tx, underFailed);

  const removed = result.teardown.flatMap((item) => item.noderoleId ?? []);
  if (removed.length > 0) await removeNoderoles(tx, { noderoleIds: removed, actor: options.actor });
  await adoptNodes(tx, apply);

  const goneIds = new Set(removed);
  const reconsidered = await reconsiderInputs(tx, {
    noderoleIds: [
      ...new Set([...plan.affected, ...rewired.map(({ bound }) => idOf(bound))]),
    ].filter((id) => !goneIds.has(id)),
    cause,
  });
  await claimReruns(tx, snapshot, reconsidered.rerun);
  await giveConsents(tx, apply, (item) => {
    const found = result.items.find(
      ({ bound }) => bound.roleId === item.roleId && bound.nodeId === item.nodeId,
    );
    return found === undefined ? undefined : idOf(found.bound);
  });
  if (rolls || options.stopAfterFailures !== undefined)
    await startRollout(tx, { snapshotId: snapshot.id });
};

const updateChanged = async (
  tx: Tx,
  { plan }: Apply,
  { rewired, idOf }: { rewired: readonly GraphItem[]; idOf: (bound: Bound) => number },
): Promise<void> => {
  if (rewired.length > 0)
    await sql`
      update noderole w set cohort = c.cohort, revision = w.revision + 1
      from unnest(${rewired.map(({ bound }) => idOf(bound))}::bigint[], ${rewired.map(({ cohort }) => cohort)}::int[]) as c(id, cohort)
      where w.id = c.id`.execute(tx);
  const withData = plan.result.change.filter((change) => change.what.includes('data'));
  if (withData.length === 0) return;
  const data = new Map(
    [...plan.data].map(([bound, document]) => [`${bound.roleId}@${bound.nodeId}`, document]),
  );
  await sql`
    update noderole w set data = c.data::jsonb, revision = w.revision + 1
    from unnest(${withData.map((change) => change.noderoleId ?? 0)}::bigint[],
      ${withData.map((change) => JSON.stringify(data.get(`${change.roleId}@${change.nodeId}`) ?? {}))}::text[]) as c(id, data)
    where w.id = c.id`.execute(tx);
};

/** What this commit makes run again belongs to it: to its progress, its canary, its limit. */
const claimReruns = async (
  tx: Tx,
  snapshot: SnapshotRecord,
  ids: readonly number[],
): Promise<void> => {
  if (ids.length > 0)
    await sql`
      update noderole set snapshot_id = ${snapshot.id}
      where id = any(${[...ids]}::bigint[]) and deployment_id = ${snapshot.deploymentId}`.execute(
      tx,
    );
};
