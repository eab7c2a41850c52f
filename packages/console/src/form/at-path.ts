/** Values in a document by slash-separated path, without changing the document. Pure. */
import type { JsonObject, JsonValue } from '@hostwright/core';

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const partsOf = (path: string): readonly string[] => path.split('/').filter((part) => part !== '');

export const readAt = (document: JsonObject, path: string): JsonValue | undefined =>
  partsOf(path).reduce<JsonValue | undefined>(
    (at, part) => (isObject(at) ? at[part] : undefined),
    document,
  );

/** undefined removes the value, and every object that it leaves empty. */
export const writeAt = (
  document: JsonObject,
  path: string,
  value: JsonValue | undefined,
): JsonObject => {
  const [part, ...rest] = partsOf(path);
  if (part === undefined) return document;
  const { [part]: before, ...others } = document;
  if (rest.length === 0) return value === undefined ? others : { ...document, [part]: value };
  const inner = writeAt(isObject(before) ? before : {}, rest.join('/'), value);
  return Object.keys(inner).length === 0 ? others : { ...document, [part]: inner };
};
