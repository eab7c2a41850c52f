/**
 * Makes what a machine reported safe to keep: bounded in size and depth, without control
 * characters, without keys that mean something to JavaScript. A machine cannot be trusted to be
 * sane; its serials end up in files, scripts and pages.
 */
import { pick, type JsonObject, type JsonValue, type Refusal } from '@hostwright/core';

const MAX_BYTES = 512 * 1024;
const MAX_DEPTH = 12;
const MAX_ENTRIES = 2000;
const MAX_TEXT = 4096;
const MAX_KEY = 256;

export type CleanFacts =
  | { readonly ok: true; readonly facts: JsonObject }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

const strip = (text: string, limit: number): string =>
  text
    // oxlint-disable-next-line no-control-regex -- these are what is taken out
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .slice(0, limit)
    .toWellFormed();

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

const clean = (value: unknown, depth: number): JsonValue => {
  if (typeof value === 'string') return strip(value, MAX_TEXT);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean') return value;
  if (value === null || typeof value !== 'object' || depth >= MAX_DEPTH) return null;
  if (Array.isArray(value))
    return value.slice(0, MAX_ENTRIES).map((part: unknown) => clean(part, depth + 1));
  return cleanObject(value, depth);
};

const cleanObject = (value: object, depth: number): JsonObject => {
  const entries = Object.entries(value)
    .slice(0, MAX_ENTRIES)
    .map(([key, part]): [string, JsonValue] => [strip(key, MAX_KEY), clean(part, depth + 1)]);
  return Object.fromEntries(entries.filter(([key]) => key !== '' && !FORBIDDEN.has(key)));
};

export const cleanFacts = (facts: unknown): CleanFacts => {
  const refuse = (code: string, message: string): CleanFacts => ({
    ok: false,
    refusals: [{ code, path: 'facts', message }],
  });
  if (facts === null || typeof facts !== 'object' || Array.isArray(facts))
    return refuse('bad_input', 'facts are a JSON object');
  const kept = cleanObject(facts, 0);
  if (Buffer.byteLength(JSON.stringify(kept)) > MAX_BYTES)
    return refuse('too_large', `facts are at most ${MAX_BYTES / 1024} KB`);
  return { ok: true, facts: kept };
};

/** The value at a slash-separated path, or undefined. */
export const factAt = (facts: JsonObject, path: string): JsonValue | undefined =>
  pick(
    facts,
    path.split('/').filter((part) => part !== ''),
  );
