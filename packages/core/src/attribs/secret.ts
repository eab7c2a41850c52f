/**
 * Secrets are references, `{"$secret": "name"}`: nothing but the reference is ever stored, hashed,
 * logged or answered. Only a run's own memory holds what it stands for.
 */
import type { JsonObject, JsonValue } from '../json.ts';
import { isObject, put } from './path.ts';
import type { Attrib } from '../role/role.ts';
import { pick } from './path.ts';

/** What is shown in place of a secret, everywhere. */
export const MASK = '[secret]';

export const secretName = (value: JsonValue | undefined): string | undefined => {
  if (!isObject(value)) return undefined;
  const name = value['$secret'];
  return typeof name === 'string' && Object.keys(value).length === 1 ? name : undefined;
};

/** Names of the secrets a document refers to, once each, in order. */
export const secretNames = (value: JsonValue | undefined): string[] => {
  const found = new Set<string>();
  const look = (at: JsonValue | undefined): void => {
    if (typeof at !== 'object' || at === null) return;
    const name = secretName(at);
    if (name !== undefined) found.add(name);
    else for (const inner of Array.isArray(at) ? at : Object.values(at)) look(inner);
  };
  look(value);
  return [...found].sort();
};

/** Puts the secrets in their places: only for the handle of a run. */
export const revealSecrets = (value: JsonValue, reveal: (name: string) => JsonValue): JsonValue => {
  if (typeof value !== 'object' || value === null) return value;
  const name = secretName(value);
  if (name !== undefined) return reveal(name);
  if (Array.isArray(value)) return value.map((inner) => revealSecrets(inner, reveal));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, revealSecrets(inner, reveal)]),
  );
};

/** A value of a secret attribute that is not a reference (a run wrote it to its wall) is not shown. */
export const maskSecret = (attrib: Attrib, value: JsonValue | undefined): JsonValue | undefined =>
  attrib.secret && value !== undefined && secretName(value) === undefined ? MASK : value;

export const maskDocument = (document: JsonObject, attribs: Iterable<Attrib>): JsonObject => {
  let masked = document;
  for (const attrib of attribs) {
    if (!attrib.secret) continue;
    const value = pick(masked, attrib.path);
    const shown = maskSecret(attrib, value);
    if (shown !== undefined && shown !== value) masked = put(masked, attrib.path, shown);
  }
  return masked;
};
