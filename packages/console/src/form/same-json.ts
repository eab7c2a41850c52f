/** Are two documents the same? The database gives the keys back in an order of its own. */
import type { JsonValue } from '@hostwright/core';

const inOrder = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

export const sameJson = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  a === b || JSON.stringify(a, inOrder) === JSON.stringify(b, inOrder);
