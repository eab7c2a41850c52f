/**
 * The graph of noderoles that a set of bindings means: hard and soft parents of each, its cohort
 * (longest distance from a root), and the circles, if any, by name. Computed as a whole at plan
 * time, so that no order of commits can leave a wrong cohort behind.
 */
import type { Refusal } from '../errors.ts';
import type { Board, Bound } from '../binding/board.ts';
import { pathOf } from '../binding/check-binding.ts';
import { findParents } from '../binding/find-parents.ts';

export interface GraphItem {
  readonly bound: Bound;
  readonly hard: readonly Bound[];
  readonly soft: readonly Bound[];
  readonly cohort: number;
}

export interface Graph {
  readonly items: readonly GraphItem[];
  readonly refusals: readonly Refusal[];
}

/** A cluster of thousands under thousands of children would be millions of edges: refused, not tried. */
export const MOST_EDGES = 2_000_000;

const NONE: readonly Bound[] = [];

const parentsOf = (board: Board, bound: Bound, needs: readonly string[]): readonly Bound[] => {
  if (needs.length === 0) return NONE;
  if (needs.length === 1) return findParents(board, bound, needs[0] ?? '')?.parents ?? NONE;
  const found = new Set<Bound>();
  for (const need of needs)
    for (const parent of findParents(board, bound, need)?.parents ?? NONE) found.add(parent);
  return [...found];
};

/** One circle among what could not be ordered, starting anywhere in it. */
const traceCycle = (
  board: Board,
  stuck: ReadonlySet<Bound>,
  parents: (bound: Bound) => readonly Bound[],
): string[] => {
  const path: Bound[] = [];
  let [at] = stuck;
  while (at !== undefined && !path.includes(at)) {
    path.push(at);
    at = parents(at).find((parent) => stuck.has(parent));
  }
  if (at === undefined) return [];
  return [...path.slice(path.indexOf(at)), at].map((bound) =>
    pathOf(board.catalogue.byId.get(bound.roleId), board.nodes.get(bound.nodeId), bound),
  );
};

/** `cohortOf` answers for noderoles of other deployments, which stand already. */
export const buildGraph = (
  board: Board,
  own: readonly Bound[],
  cohortOf: (elsewhere: Bound) => number,
): Graph => {
  const count = own.length;
  const at = new Map<Bound, number>();
  for (let index = 0; index < count; index++) at.set(own[index] as Bound, index);
  const hard: (readonly Bound[])[] = Array.from({ length: count });
  const soft: (readonly Bound[])[] = Array.from({ length: count });
  const cohort = new Int32Array(count);
  const waits = new Int32Array(count);
  const children: number[][] = Array.from({ length: count }, () => []);
  let edges = 0;

  for (let index = 0; index < count; index++) {
    const bound = own[index] as Bound;
    const role = board.catalogue.byId.get(bound.roleId);
    const needed = parentsOf(board, bound, board.catalogue.needs.get(bound.roleId) ?? []);
    const after = parentsOf(board, bound, role?.after ?? []).filter(
      (parent) => !needed.includes(parent) && parent !== bound,
    );
    hard[index] = needed;
    soft[index] = after;
    edges += needed.length + after.length;
    if (edges > MOST_EDGES)
      return {
        items: [],
        refusals: [
          {
            code: 'too_many_edges',
            path: pathOf(role, board.nodes.get(bound.nodeId), bound),
            message: `the graph would have over ${MOST_EDGES} edges: a cluster role is bound to too many nodes for this many children`,
          },
        ],
      };
    for (const list of [needed, after])
      for (const parent of list) {
        const parentAt = at.get(parent);
        if (parentAt === undefined)
          cohort[index] = Math.max(cohort[index] ?? 0, cohortOf(parent) + 1);
        else {
          children[parentAt]?.push(index);
          waits[index] = (waits[index] ?? 0) + 1;
        }
      }
  }

  const ready: number[] = [];
  for (let index = 0; index < count; index++) if (waits[index] === 0) ready.push(index);
  for (let next = 0; next < ready.length; next++) {
    const parent = ready[next] as number;
    for (const child of children[parent] as number[]) {
      cohort[child] = Math.max(cohort[child] ?? 0, (cohort[parent] ?? 0) + 1);
      waits[child] = (waits[child] ?? 0) - 1;
      if (waits[child] === 0) ready.push(child);
    }
  }

  const refusals: Refusal[] = [];
  if (ready.length < count) {
    const stuck = new Set(own.filter((_, index) => (waits[index] ?? 0) > 0));
    const chain = traceCycle(board, stuck, (bound) => {
      const index = at.get(bound);
      return index === undefined ? NONE : [...(hard[index] ?? NONE), ...(soft[index] ?? NONE)];
    });
    refusals.push({
      code: 'cycle',
      path: chain[0] ?? '',
      message: `noderoles would wait for each other in a circle: ${chain.join(' -> ')}`,
    });
  }
  return {
    items: own.map((bound, index) => ({
      bound,
      hard: hard[index] ?? NONE,
      soft: soft[index] ?? NONE,
      cohort: cohort[index] ?? 0,
    })),
    refusals,
  };
};
