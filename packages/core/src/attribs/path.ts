/** Where an attribute stands in a document: `net/dns/servers` is ['net', 'dns', 'servers']. */
import type { JsonObject, JsonValue } from '../json.ts';

const own = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const pick = (document: JsonObject, path: readonly string[]): JsonValue | undefined => {
  let at: JsonValue | undefined = document;
  for (const key of path) {
    if (!isObject(at)) return undefined;
    at = own(at, key);
  }
  return at;
};

/** The same document with `value` at `path`; what it shares with the old one is not copied. */
export const put = (
  document: JsonObject,
  path: readonly string[],
  value: JsonValue,
): JsonObject => {
  const [key, ...rest] = path;
  if (key === undefined) return isObject(value) ? value : document;
  const inner = own(document, key);
  return {
    ...document,
    [key]: rest.length === 0 ? value : put(isObject(inner) ? inner : {}, rest, value),
  };
};
