/**
 * The fleet as columns of numbers: ten thousand nodes are a few hundred kilobytes, and a change is
 * a handful of array writes. Nothing here touches the DOM.
 */
import { NODEROLE_STATES, type NoderoleState } from '@hostwright/core/noderole/state';
import type { Look } from '../ui/state.tsx';

export const WIDTH = NODEROLE_STATES.length;
const AT = Object.fromEntries(NODEROLE_STATES.map((state, at) => [state, at])) as Record<
  NoderoleState,
  number
>;

/** Looks in the order of the numbers in `look`. */
export const LOOK_CODES: readonly Look[] = [
  'undefined',
  'proposed',
  'active',
  'todo',
  'blocked',
  'down',
  'transition',
  'error',
];
const CODE = Object.fromEntries(LOOK_CODES.map((look, code) => [look, code])) as Record<
  Look,
  number
>;

export interface FleetColumns {
  size: number;
  readonly id: number[];
  readonly name: string[];
  readonly deployment: number[];
  readonly alive: boolean[];
  readonly available: boolean[];
  readonly admin: boolean[];
  readonly labels: (Readonly<Record<string, string>> | null)[];
  /** WIDTH numbers per node: how many of its noderoles are in each state. */
  counts: Uint16Array;
  /** How many of its noderoles are outside the system deployment. */
  work: Uint16Array;
  /** Index into LOOK_CODES, derived from the rest. */
  look: Uint8Array;
  readonly at: Map<number, number>;
}

export interface FleetNode {
  readonly id: number;
  readonly name: string;
  readonly deployment: number;
  readonly alive: boolean;
  readonly available: boolean;
  readonly admin: boolean;
  readonly labels: Readonly<Record<string, string>> | null;
  readonly counts: readonly number[];
  readonly work: number;
}

export const emptyFleet = (capacity = 64): FleetColumns => ({
  size: 0,
  id: [],
  name: [],
  deployment: [],
  alive: [],
  available: [],
  admin: [],
  labels: [],
  counts: new Uint16Array(capacity * WIDTH),
  work: new Uint16Array(capacity),
  look: new Uint8Array(capacity),
  at: new Map(),
});

const grow = (fleet: FleetColumns): void => {
  const capacity = Math.max(64, fleet.look.length * 2);
  const counts = new Uint16Array(capacity * WIDTH);
  const work = new Uint16Array(capacity);
  const look = new Uint8Array(capacity);
  counts.set(fleet.counts);
  work.set(fleet.work);
  look.set(fleet.look);
  Object.assign(fleet, { counts, work, look });
};

const count = (fleet: FleetColumns, node: number, state: NoderoleState): number =>
  fleet.counts[node * WIDTH + AT[state]] ?? 0;

/** What one glance should say of a node: trouble first, then work, then rest. */
export const lookOf = (fleet: FleetColumns, node: number): Look => {
  if (count(fleet, node, 'error') > 0) return 'error';
  if (count(fleet, node, 'transition') > 0) return 'transition';
  if (fleet.alive[node] !== true) return 'down';
  if (count(fleet, node, 'blocked') > 0) return 'blocked';
  if (count(fleet, node, 'todo') > 0) return 'todo';
  if (fleet.work[node] === 0 && fleet.admin[node] !== true) return 'undefined';
  if (count(fleet, node, 'proposed') > 0) return 'proposed';
  return 'active';
};

/** Derives the look again; true if it changed. */
export const refreshLook = (fleet: FleetColumns, node: number): boolean => {
  const code = CODE[lookOf(fleet, node)];
  if (fleet.look[node] === code) return false;
  fleet.look[node] = code;
  return true;
};

export const putNode = (fleet: FleetColumns, node: FleetNode): number => {
  const at = fleet.at.get(node.id) ?? fleet.size;
  if (at === fleet.size) {
    if (at >= fleet.look.length) grow(fleet);
    fleet.at.set(node.id, at);
    fleet.size += 1;
  }
  fleet.id[at] = node.id;
  fleet.name[at] = node.name;
  fleet.deployment[at] = node.deployment;
  fleet.alive[at] = node.alive;
  fleet.available[at] = node.available;
  fleet.admin[at] = node.admin;
  fleet.labels[at] = node.labels;
  for (let state = 0; state < WIDTH; state += 1)
    fleet.counts[at * WIDTH + state] = node.counts[state] ?? 0;
  fleet.work[at] = node.work;
  refreshLook(fleet, at);
  return at;
};

/** Swaps the last node into the gap, so that columns stay dense. */
export const dropNode = (fleet: FleetColumns, id: number): void => {
  const at = fleet.at.get(id);
  if (at === undefined) return;
  const last = fleet.size - 1;
  fleet.at.delete(id);
  for (const column of [
    fleet.id,
    fleet.name,
    fleet.deployment,
    fleet.alive,
    fleet.available,
    fleet.admin,
    fleet.labels,
  ] as unknown[][]) {
    column[at] = column[last];
    column.length = last;
  }
  fleet.counts.copyWithin(at * WIDTH, last * WIDTH, last * WIDTH + WIDTH);
  fleet.work[at] = fleet.work[last] ?? 0;
  fleet.look[at] = fleet.look[last] ?? 0;
  fleet.size = last;
  const moved = fleet.id[at];
  if (at !== last && moved !== undefined) fleet.at.set(moved, at);
};

export interface StateChange {
  readonly node: number;
  readonly from: NoderoleState | null;
  readonly to: NoderoleState | null;
  readonly system: boolean;
}

/** One noderole moved from one state to another; null = it came into being, or ceased to be. */
export const moveNoderole = (fleet: FleetColumns, change: StateChange): number | undefined => {
  const at = fleet.at.get(change.node);
  if (at === undefined) return undefined;
  const bump = (state: NoderoleState, by: number): void => {
    const cell = at * WIDTH + AT[state];
    fleet.counts[cell] = Math.max(0, (fleet.counts[cell] ?? 0) + by);
  };
  if (change.from !== null) bump(change.from, -1);
  if (change.to !== null) bump(change.to, 1);
  if (!change.system) {
    const by = (change.to === null ? 0 : 1) - (change.from === null ? 0 : 1);
    fleet.work[at] = Math.max(0, (fleet.work[at] ?? 0) + by);
  }
  return at;
};

export const tally = (fleet: FleetColumns): Readonly<Record<Look, number>> => {
  const sums = new Uint32Array(LOOK_CODES.length);
  for (let node = 0; node < fleet.size; node += 1) {
    const code = fleet.look[node] ?? 0;
    sums[code] = (sums[code] ?? 0) + 1;
  }
  return Object.fromEntries(LOOK_CODES.map((look, code) => [look, sums[code] ?? 0])) as Record<
    Look,
    number
  >;
};

/** The same nodes in the same places: only counts and looks may differ. */
export const sameShape = (a: FleetColumns, b: FleetColumns): boolean => {
  if (a.size !== b.size) return false;
  for (let at = 0; at < a.size; at += 1) {
    if (
      a.id[at] !== b.id[at] ||
      a.name[at] !== b.name[at] ||
      a.deployment[at] !== b.deployment[at] ||
      a.available[at] !== b.available[at] ||
      !sameLabels(a.labels[at] ?? null, b.labels[at] ?? null)
    )
      return false;
  }
  return true;
};

type Labels = Readonly<Record<string, string>> | null;
const sameLabels = (a: Labels, b: Labels): boolean => {
  if (a === b) return true;
  if (a === null || b === null) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
};

/** Nodes that look different in `b`. */
export const changedLooks = (a: FleetColumns, b: FleetColumns): number[] => {
  const changed: number[] = [];
  for (let at = 0; at < b.size; at += 1) if (a.look[at] !== b.look[at]) changed.push(at);
  return changed;
};
