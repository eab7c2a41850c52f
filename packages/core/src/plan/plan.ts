/**
 * Compares what a proposed snapshot wants with what stands, and says what a commit would do:
 * nothing is decided later. Takes data, returns data; a hundred thousand noderoles in well under a
 * second.
 */
import type { Refusal } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { NoderoleState } from '../noderole/state.ts';
import { sameJson } from '../canonical-json.ts';
import type { Board, Bound } from '../binding/board.ts';
import { settle, type PulledIn } from '../binding/bind.ts';
import { checkBinding } from '../binding/check-binding.ts';
import { buildGraph, type GraphItem } from './graph.ts';

export interface Disk {
  readonly name: string;
  readonly serial: string | null;
  readonly bytes: number | null;
  /** What was found on it, in words; absent if nobody has looked. */
  readonly holds?: readonly string[];
}

/** A noderole of this deployment as it is now. */
export interface Standing {
  readonly id: number;
  readonly roleId: number;
  readonly nodeId: number;
  readonly state: NoderoleState;
  readonly removing: boolean;
  readonly ran: boolean;
  /** Destructive, failed or about to run, and nobody has given leave for it. */
  readonly awaitsConsent: boolean;
  readonly data: JsonObject | null;
  readonly cohort: number;
  /** Ids of parents, ascending; hard and soft apart. */
  readonly hard: readonly number[];
  readonly soft: readonly number[];
}

/** A noderole of another deployment. */
export interface Elsewhere {
  readonly id: number;
  readonly cohort: number;
}

export interface PlanInput {
  /** Holds this deployment's bindings (those of the proposal) and what stands elsewhere. */
  readonly board: Board;
  readonly operator: readonly Bound[];
  /** Operator's data of each binding that has any. */
  readonly data: ReadonlyMap<Bound, JsonObject>;
  /** Why a required binding of the proposal was pulled in. */
  readonly reasons: ReadonlyMap<Bound, string>;
  readonly standing: readonly Standing[];
  readonly elsewhere: ReadonlyMap<Bound, Elsewhere>;
  /** Ids of standing noderoles whose declared inputs the proposal changes. */
  readonly inputsMoved: ReadonlySet<number>;
  /** Children in other deployments of a standing noderole, named. */
  readonly neededBy: ReadonlyMap<number, readonly string[]>;
  readonly disks: ReadonlyMap<number, readonly Disk[]>;
}

export interface PlanItem {
  readonly role: string;
  readonly node: string;
  readonly roleId: number;
  readonly nodeId: number;
  readonly noderoleId: number | null;
}
export interface PlanChange extends PlanItem {
  readonly what: readonly ('data' | 'parents' | 'order')[];
}
export interface PlanDestructive extends PlanItem {
  readonly disks: readonly Disk[];
  readonly effect: 'runs once consent is given' | 'stays as it is and is marked drifted';
}

export interface PlanOutcome {
  readonly add: readonly PlanItem[];
  readonly change: readonly PlanChange[];
  readonly rerun: readonly PlanItem[];
  readonly teardown: readonly (PlanItem & { readonly how: 'teardown' | 'forget' })[];
  readonly keep: number;
  readonly pulledIn: readonly { role: string; node: string; reason: string }[];
  readonly destructive: readonly PlanDestructive[];
  readonly refusals: readonly Refusal[];
}

/** For the commit, which has no choices left. */
export interface PlanResult extends PlanOutcome {
  readonly items: readonly GraphItem[];
  readonly newlyRequired: readonly PulledIn[];
  /** Standing noderoles by role id within node id. */
  readonly standingAt: (bound: { roleId: number; nodeId: number }) => Standing | undefined;
}

// role ids stay far below 2^20; the product stays exact up to 2^33 nodes
const keyOf = (nodeId: number, roleId: number): number => nodeId * 1_048_576 + roleId;

const indexStanding = (standing: readonly Standing[]) => {
  const index = new Map<number, Map<number, Standing>>();
  for (const noderole of standing) {
    let roles = index.get(noderole.nodeId);
    if (roles === undefined) index.set(noderole.nodeId, (roles = new Map()));
    roles.set(noderole.roleId, noderole);
  }
  return (bound: { roleId: number; nodeId: number }) => index.get(bound.nodeId)?.get(bound.roleId);
};

const sameIds = (wanted: readonly (number | undefined)[], now: readonly number[]): boolean => {
  if (wanted.length !== now.length) return false;
  const sorted = wanted.length > 1 ? wanted.toSorted((a, b) => (a ?? 0) - (b ?? 0)) : wanted;
  return sorted.every((id, index) => id === now[index]);
};

const checkStanding = (input: PlanInput): Refusal[] =>
  [...input.operator].flatMap((bound) =>
    checkBinding(input.board, bound, 'requested').filter(
      // what stands may outlive its role's place in the barclamp; only new bindings are refused it
      (refusal) => refusal.code !== 'role_removed',
    ),
  );

export const makePlan = (input: PlanInput): PlanResult => {
  const { board } = input;
  const { byId } = board.catalogue;
  const standingAt = indexStanding(input.standing);
  const refusals: Refusal[] = checkStanding(input);
  const settled = settle(board, [], input.operator);
  refusals.push(...settled.refusals);
  const own = [...settled.parents.keys()].sort(
    (a, b) => a.nodeId - b.nodeId || a.roleId - b.roleId,
  );
  const graph = buildGraph(board, own, (bound) => input.elsewhere.get(bound)?.cohort ?? 0);
  refusals.push(...graph.refusals);

  const itemOf = (at: { roleId: number; nodeId: number }, noderoleId: number | null): PlanItem => ({
    role: byId.get(at.roleId)?.name ?? String(at.roleId),
    node: board.nodes.get(at.nodeId)?.name ?? String(at.nodeId),
    roleId: at.roleId,
    nodeId: at.nodeId,
    noderoleId,
  });
  const idOf = (bound: Bound): number | undefined =>
    input.elsewhere.get(bound)?.id ?? standingAt(bound)?.id;

  const add: PlanItem[] = [];
  const pulledIn: { role: string; node: string; reason: string }[] = [];
  const newly = new Map(settled.pulledIn.map(({ bound, reason }) => [bound, reason]));
  const change: PlanChange[] = [];
  const rerun: PlanItem[] = [];
  const destructive: PlanDestructive[] = [];
  const wanted = new Set<number>();
  let keep = 0;
  for (const { bound, hard, soft, cohort } of graph.items) {
    const standing = standingAt(bound);
    const wipes = byId.get(bound.roleId)?.flags.has('destructive') === true;
    wanted.add(keyOf(bound.nodeId, bound.roleId));
    if (standing === undefined || standing.state === 'proposed') {
      const item = itemOf(bound, standing?.id ?? null);
      add.push(item);
      const reason = newly.get(bound) ?? input.reasons.get(bound);
      if (reason !== undefined) pulledIn.push({ role: item.role, node: item.node, reason });
      if (wipes)
        destructive.push({
          ...item,
          disks: input.disks.get(bound.nodeId) ?? [],
          effect: 'runs once consent is given',
        });
      continue;
    }
    if (standing.removing) {
      const item = itemOf(bound, standing.id);
      refusals.push({
        code: 'being_removed',
        path: `${item.role}@${item.node}`,
        message: `${item.role} on ${item.node} is still being removed: it can be bound again once it has gone`,
      });
      continue;
    }
    const what: ('data' | 'parents' | 'order')[] = [];
    if (!sameJson(input.data.get(bound) ?? {}, standing.data ?? {})) what.push('data');
    if (!sameIds(hard.map(idOf), standing.hard)) what.push('parents');
    if (!sameIds(soft.map(idOf), standing.soft) || cohort !== standing.cohort) what.push('order');
    const moved = input.inputsMoved.has(standing.id);
    // what an earlier commit left unsaid, or what failed: nobody else asks for the leave it needs
    if (standing.awaitsConsent)
      destructive.push({
        ...itemOf(bound, standing.id),
        disks: input.disks.get(bound.nodeId) ?? [],
        effect: 'runs once consent is given',
      });
    if (what.length === 0 && !moved) {
      keep++;
      continue;
    }
    const item = itemOf(bound, standing.id);
    if (what.length > 0) change.push({ ...item, what });
    if (!moved) continue;
    if (!wipes) rerun.push(item);
    else
      destructive.push({
        ...item,
        disks: input.disks.get(bound.nodeId) ?? [],
        effect: standing.ran
          ? 'stays as it is and is marked drifted'
          : 'runs once consent is given',
      });
  }

  const teardown: (PlanItem & { how: 'teardown' | 'forget' })[] = [];
  for (const standing of input.standing) {
    if (wanted.has(keyOf(standing.nodeId, standing.roleId)) || standing.removing) continue;
    const role = byId.get(standing.roleId);
    const item = itemOf(standing, standing.id);
    teardown.push({
      ...item,
      how: role?.teardown === true && standing.ran ? 'teardown' : 'forget',
    });
    const children = input.neededBy.get(standing.id) ?? [];
    if (children.length > 0)
      refusals.push({
        code: 'needed',
        path: `${item.role}@${item.node}`,
        message: `${item.role} on ${item.node} is needed by ${children.slice(0, 5).join(', ')}${children.length > 5 ? ` and ${children.length - 5} more` : ''}: remove those first`,
      });
  }

  return {
    add,
    change,
    rerun,
    teardown,
    keep,
    pulledIn,
    destructive,
    refusals,
    items: graph.items,
    newlyRequired: settled.pulledIn,
    standingAt,
  };
};
