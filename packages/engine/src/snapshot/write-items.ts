/** A plan's items become noderoles: which are new, which come back, which hang on others than before. */
import type { GraphItem, PlanResult } from '@hostwright/core';
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { markFromParents } from '../noderole/mark-descendants.ts';
import { growClusters, pruneClusters, raiseCohortsBelow } from './follow-below.ts';
import type { ConsentGiven } from './give-consents.ts';
import { linkAttribs } from './link-attribs.ts';
import type { LoadedPlan } from './load-plan.ts';
import type { SnapshotRecord } from './read.ts';
import { edgesOf, type Wiring } from './wire-items.ts';
import {
  dropEdgesOf,
  insertEdges,
  insertNoderoles,
  recommitNoderoles,
  recountPending,
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

export const isRolling = ({ options }: Apply): boolean =>
  options.rollingLimit !== undefined || options.canary !== undefined;

export interface SortedItems {
  readonly fresh: readonly GraphItem[];
  /** A recall had sent them back to proposed. */
  readonly recommitted: readonly GraphItem[];
  /** They stand, and their parents or their order changed. */
  readonly rewired: readonly GraphItem[];
  /** All of these. */
  readonly written: readonly GraphItem[];
}

export const sortItems = (result: PlanResult): SortedItems => {
  const rewiredIds = new Set(
    result.change
      .filter(({ what }) => what.includes('parents') || what.includes('order'))
      .map((change) => change.noderoleId ?? 0),
  );
  const fresh = result.items.filter(({ bound }) => result.standingAt(bound) === undefined);
  const recommitted = result.items.filter(
    ({ bound }) => result.standingAt(bound)?.state === 'proposed',
  );
  const rewired = result.items.filter(({ bound }) =>
    rewiredIds.has(result.standingAt(bound)?.id ?? -1),
  );
  return { fresh, recommitted, rewired, written: [...fresh, ...recommitted, ...rewired] };
};

export const writeItems = async (
  tx: Tx,
  apply: Apply,
  options: {
    readonly items: SortedItems;
    readonly wiring: Wiring;
    readonly cause: string;
  },
): Promise<void> => {
  const { snapshot, plan } = apply;
  const { items, wiring, cause } = options;
  const holds = isRolling(apply) ? ['rolling'] : [];
  const asNew = (item: GraphItem): NewNoderole => {
    const role = plan.loaded.board.catalogue.byId.get(item.bound.roleId);
    return {
      id: wiring.idOf(item.bound),
      item,
      lane: role?.lane ?? 'host',
      priority: role?.priority ?? 0,
      pending: wiring.pendingOf(item),
      data: plan.data.get(item.bound) ?? null,
      holds,
    };
  };
  await insertNoderoles(tx, {
    deploymentId: snapshot.deploymentId,
    snapshotId: snapshot.id,
    cause,
    rows: items.fresh.map(asNew),
  });
  await recommitNoderoles(tx, {
    snapshotId: snapshot.id,
    cause,
    rows: items.recommitted.map(asNew),
  });
};

/** Edges and links of what was written, and what that means for who hangs on it. */
export const connectItems = async (
  tx: Tx,
  { snapshot, plan }: Apply,
  { items, wiring }: { readonly items: SortedItems; readonly wiring: Wiring },
): Promise<void> => {
  const { idOf } = wiring;
  const { deploymentId } = snapshot;
  const { catalogue, below } = plan.loaded.board;
  const rewiredIds = items.rewired.map(({ bound }) => idOf(bound));
  const relink = [...items.recommitted.map(({ bound }) => idOf(bound)), ...rewiredIds];
  await dropEdgesOf(tx, relink);
  await insertEdges(tx, edgesOf(items.written, idOf));
  await linkAttribs(tx, { catalogue, items: items.written, idOf, relink });
  await updateCohorts(tx, items.rewired, idOf);
  await updateData(tx, plan);
  const joined = await growClusters(tx, { catalogue, fresh: items.fresh, idOf, deploymentId });
  const left = await pruneClusters(tx, {
    deploymentId,
    removed: plan.result.teardown.flatMap((item) => item.noderoleId ?? []),
  });
  await recountPending(
    tx,
    [...new Set([...rewiredIds, ...joined, ...left])].toSorted((a, b) => a - b),
  );
  if (below.size > 0) await raiseCohortsBelow(tx, deploymentId);
  const underFailed = wiring.underFailed(items.written);
  if (underFailed.length > 0) await markFromParents(tx, underFailed);
};

const updateCohorts = async (
  tx: Tx,
  rewired: readonly GraphItem[],
  idOf: Wiring['idOf'],
): Promise<void> => {
  if (rewired.length === 0) return;
  await sql`
    update noderole w set cohort = c.cohort, revision = w.revision + 1
    from unnest(${rewired.map(({ bound }) => idOf(bound))}::bigint[], ${rewired.map(({ cohort }) => cohort)}::int[]) as c(id, cohort)
    where w.id = c.id`.execute(tx);
};

const updateData = async (tx: Tx, plan: LoadedPlan): Promise<void> => {
  const changed = plan.result.change.filter((change) => change.what.includes('data'));
  if (changed.length === 0) return;
  const data = new Map(
    [...plan.data].map(([bound, document]) => [`${bound.roleId}@${bound.nodeId}`, document]),
  );
  await sql`
    update noderole w set data = c.data::jsonb, revision = w.revision + 1
    from unnest(${changed.map((change) => change.noderoleId ?? 0)}::bigint[],
      ${changed.map((change) => JSON.stringify(data.get(`${change.roleId}@${change.nodeId}`) ?? {}))}::text[]) as c(id, data)
    where w.id = c.id`.execute(tx);
};
