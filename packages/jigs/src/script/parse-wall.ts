/**
 * What scripts wrote to $HOSTWRIGHT_WALL: one JSON object, or several one after the other (each
 * `write_wall` appends one), merged in the order written. Text that is not that is refused whole:
 * half a wall would be worse than none.
 */
import { isObject, type JsonObject, type JsonValue } from '@hostwright/core';

export type ParsedWall =
  | { readonly ok: true; readonly wall: JsonObject }
  | { readonly ok: false; readonly reason: string };

const DEEPEST = 64;
const MOST_OBJECTS = 10_000;

export const mergeWalls = (into: JsonObject, from: JsonObject): JsonObject => {
  const merged: JsonObject = { ...into };
  for (const [key, value] of Object.entries(from)) {
    const old = merged[key];
    merged[key] = isObject(old) && isObject(value) ? mergeWalls(old, value) : value;
  }
  return merged;
};

/** Where the object that begins at `from` ends; -1 if it does not. */
const endOfObject = (text: string, from: number): number => {
  let depth = 0;
  let quoted = false;
  for (let at = from; at < text.length; at++) {
    const letter = text[at];
    if (quoted) {
      if (letter === '\\') at++;
      else if (letter === '"') quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === '{' || letter === '[') {
      if (++depth > DEEPEST) return -1;
    } else if ((letter === '}' || letter === ']') && --depth === 0) return at + 1;
  }
  return -1;
};

const cleanse = (value: JsonValue): JsonValue => {
  // PostgreSQL's jsonb takes neither NUL nor half a surrogate pair.
  if (typeof value === 'string') return value.replaceAll('\u0000', '\ufffd').toWellFormed();
  if (Array.isArray(value)) return value.map(cleanse);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '__proto__')
      .map(([key, part]) => [key.replaceAll('\u0000', '\ufffd').toWellFormed(), cleanse(part)]),
  );
};

export const parseWall = (text: string): ParsedWall => {
  let wall: JsonObject = {};
  let at = 0;
  for (let count = 0; ; count++) {
    while (/\s/.test(text[at] ?? '')) at++;
    if (at >= text.length) return { ok: true, wall };
    if (text[at] !== '{') return { ok: false, reason: 'the wall must hold JSON objects' };
    if (count >= MOST_OBJECTS) return { ok: false, reason: 'the wall holds too many objects' };
    const end = endOfObject(text, at);
    if (end === -1)
      return { ok: false, reason: 'the wall ends within an object or nests too deep' };
    try {
      const value = cleanse(JSON.parse(text.slice(at, end)) as JsonValue);
      if (isObject(value)) wall = mergeWalls(wall, value);
    } catch (error) {
      return { ok: false, reason: `the wall is not JSON: ${String(error).slice(0, 200)}` };
    }
    at = end;
  }
};
