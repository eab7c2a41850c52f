/**
 * Gives ids to what is new and locks the parents that stand already, in that order: from here on it
 * is known what each item waits for, and nothing of it can change before the commit.
 */
import type { Bound, GraphItem } from '@hostwright/core';
import type { Tx } from '../db/open.ts';
import { lockParents, reserveIds, type EdgeRow } from './write-noderoles.ts';

export interface Wiring {
  readonly idOf: (bound: Bound) => number;
  /** How many hard parents are not active yet; a new parent never is. */
  readonly pendingOf: (item: GraphItem) => number;
  /** Ids of those under a parent that failed, or that stands under one. */
  readonly underFailed: (items: readonly GraphItem[]) => number[];
}

export const wireItems = async (
  tx: Tx,
  options: {
    readonly fresh: readonly GraphItem[];
    /** All whose parents are written, the fresh ones among them. */
    readonly written: readonly GraphItem[];
    readonly standingId: (bound: Bound) => number | undefined;
  },
): Promise<Wiring> => {
  const newIds = await reserveIds(tx, options.fresh.length);
  const freshIds = new Map(options.fresh.map(({ bound }, index) => [bound, newIds[index] ?? 0]));
  const idOf = (bound: Bound): number => freshIds.get(bound) ?? options.standingId(bound) ?? 0;
  const parentIds = new Set<number>();
  for (const { hard } of options.written)
    for (const parent of hard) if (!freshIds.has(parent)) parentIds.add(idOf(parent));
  const parents = await lockParents(tx, [...parentIds]);
  return {
    idOf,
    pendingOf: ({ hard }) => {
      let count = 0;
      for (const parent of hard)
        if (freshIds.has(parent) || parents.get(idOf(parent))?.state !== 'active') count++;
      return count;
    },
    underFailed: (items) =>
      items
        .filter(({ hard }) => hard.some((parent) => parents.get(idOf(parent))?.failed === true))
        .map(({ bound }) => idOf(bound)),
  };
};

export const edgesOf = (items: readonly GraphItem[], idOf: Wiring['idOf']): EdgeRow[] => {
  const edges: EdgeRow[] = [];
  for (const { bound, hard, soft } of items) {
    const child = idOf(bound);
    for (const parent of hard) edges.push({ parent: idOf(parent), child, soft: false });
    for (const parent of soft) edges.push({ parent: idOf(parent), child, soft: true });
  }
  return edges;
};
