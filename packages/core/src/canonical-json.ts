/**
 * One text per value, whatever the order of its keys: what hashes are made of. A hash function is
 * passed in, so that core stays free of the platform (the console bundles it too).
 */
import type { JsonValue } from './json.ts';

/** From a text to a short name for it; the engine gives SHA-256. */
export type Digest = (text: string) => string;

export const canonicalJson = (value: JsonValue | undefined): string => {
  if (value === undefined) return 'null';
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${parts.join(',')}}`;
};

export const sameJson = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  a === b || canonicalJson(a) === canonicalJson(b);
