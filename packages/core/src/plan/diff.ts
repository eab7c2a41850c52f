/** What differs between two revisions of a deployment, from the rows that are in one but not both. */
import { sameJson } from '../canonical-json.ts';
import type { JsonObject } from '../json.ts';

/** A row that is in exactly one of the two revisions. */
export interface DiffRow {
  readonly key: string;
  readonly data: JsonObject;
}

export interface Difference {
  readonly key: string;
  readonly change: 'added' | 'removed' | 'data';
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

export const diffRows = (
  onlyBefore: readonly DiffRow[],
  onlyAfter: readonly DiffRow[],
): Difference[] => {
  const before = new Map(onlyBefore.map((row) => [row.key, row.data]));
  const after = new Map(onlyAfter.map((row) => [row.key, row.data]));
  const differences: Difference[] = [];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const was = before.get(key) ?? null;
    const is = after.get(key) ?? null;
    if (was === null) differences.push({ key, change: 'added', before: null, after: is });
    else if (is === null) differences.push({ key, change: 'removed', before: was, after: null });
    else if (!sameJson(was, is)) differences.push({ key, change: 'data', before: was, after: is });
  }
  return differences.sort((a, b) => (a.key < b.key ? -1 : 1));
};
