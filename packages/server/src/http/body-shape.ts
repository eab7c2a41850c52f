/**
 * What no schema should have to say: how deep a document may be, and which characters PostgreSQL
 * cannot store. Looked at before any schema, because schemas recurse and a deep document would
 * end the stack.
 */
import type { Refusal } from '@hostwright/core';

const DEEPEST = 48;
const MOST_VALUES = 500_000;

const storable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

export const checkShape = (value: unknown, place: string): Refusal[] => {
  const open: { readonly value: unknown; readonly path: string; readonly depth: number }[] = [
    { value, path: place, depth: 0 },
  ];
  let seen = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    seen += 1;
    const { path, depth } = next;
    if (typeof next.value === 'string' && !storable(next.value))
      return [{ code: 'bad_text', path, message: 'the text holds NUL or half a surrogate pair' }];
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (depth >= DEEPEST)
      return [{ code: 'too_deep', path: place, message: `nested deeper than ${DEEPEST} levels` }];
    if (seen > MOST_VALUES)
      return [{ code: 'too_large', path: place, message: `more than ${MOST_VALUES} values` }];
    for (const [key, item] of Object.entries(next.value)) {
      if (!storable(key))
        return [{ code: 'bad_text', path, message: 'a key holds NUL or half a surrogate pair' }];
      // the path is only worth building where it may be shown
      open.push({
        value: item,
        path: seen < 1000 ? `${path}/${key.slice(0, 64)}` : place,
        depth: depth + 1,
      });
    }
  }
  return [];
};
