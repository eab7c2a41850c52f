/** What kind of field a JSON Schema asks for, and whether a typed text fits it. Pure. */
import type { JsonObject, JsonValue } from '@hostwright/core';

export type FieldKind = 'text' | 'number' | 'switch' | 'choice' | 'lines' | 'json';

const typeOf = (schema: JsonObject): string | undefined => {
  const { type } = schema;
  if (typeof type === 'string') return type;
  return Array.isArray(type)
    ? type.find((each): each is string => each !== 'null' && typeof each === 'string')
    : undefined;
};

export const kindOf = (schema: JsonObject | null): FieldKind => {
  if (schema === null) return 'json';
  if (Array.isArray(schema['enum'])) return 'choice';
  switch (typeOf(schema)) {
    case 'string':
      return 'text';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'switch';
    case 'array': {
      const items = schema['items'];
      return typeof items === 'object' &&
        items !== null &&
        !Array.isArray(items) &&
        typeOf(items) === 'string'
        ? 'lines'
        : 'json';
    }
    default:
      return 'json';
  }
};

/** The choices of an enum, as text; a choice that is not a scalar is shown as JSON. */
export const choicesOf = (
  schema: JsonObject | null,
): readonly { readonly text: string; readonly value: JsonValue }[] => {
  const choices = schema?.['enum'];
  return Array.isArray(choices) ? choices.map((value) => ({ text: scalarText(value), value })) : [];
};

export const scalarText = (value: JsonValue): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);

export type Parsed =
  | { readonly ok: true; readonly value: JsonValue | undefined }
  | { readonly ok: false; readonly reason: string };

const limit = (schema: JsonObject, key: string): number | undefined => {
  const value = schema[key];
  return typeof value === 'number' ? value : undefined;
};

const parseNumber = (schema: JsonObject, text: string): Parsed => {
  const value = Number(text);
  if (!Number.isFinite(value)) return { ok: false, reason: 'This must be a number.' };
  if (typeOf(schema) === 'integer' && !Number.isInteger(value))
    return { ok: false, reason: 'This must be a whole number.' };
  const [least, most] = [limit(schema, 'minimum'), limit(schema, 'maximum')];
  if (least !== undefined && value < least) return { ok: false, reason: `At least ${least}.` };
  if (most !== undefined && value > most) return { ok: false, reason: `At most ${most}.` };
  return { ok: true, value };
};

/** A pattern that this browser cannot read is left to the server. */
const matches = (pattern: string, text: string): boolean => {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
};

const parseText = (schema: JsonObject, text: string): Parsed => {
  const [least, most] = [limit(schema, 'minLength'), limit(schema, 'maxLength')];
  if (least !== undefined && text.length < least)
    return { ok: false, reason: `At least ${least} characters.` };
  if (most !== undefined && text.length > most)
    return { ok: false, reason: `At most ${most} characters.` };
  const { pattern } = schema;
  if (typeof pattern === 'string' && !matches(pattern, text))
    return { ok: false, reason: `Does not match ${pattern}.` };
  return { ok: true, value: text };
};

/** An empty text means: not set here, inherit. The server checks again; this only answers sooner. */
export const parseField = (schema: JsonObject | null, text: string): Parsed => {
  if (text === '') return { ok: true, value: undefined };
  switch (kindOf(schema)) {
    case 'number':
      return parseNumber(schema ?? {}, text);
    case 'switch':
      return { ok: true, value: text === 'true' };
    case 'choice':
      return {
        ok: true,
        value: choicesOf(schema).find((choice) => choice.text === text)?.value,
      };
    case 'text':
      return parseText(schema ?? {}, text);
    case 'lines':
      return {
        ok: true,
        value: text
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== ''),
      };
    case 'json':
    default:
      try {
        return { ok: true, value: JSON.parse(text) as JsonValue };
      } catch {
        return { ok: false, reason: 'This is not JSON. Text stands in double quotes.' };
      }
  }
};

export const showValue = (schema: JsonObject | null, value: JsonValue | undefined): string => {
  if (value === undefined) return '';
  const kind = kindOf(schema);
  if (kind === 'lines' && Array.isArray(value)) return value.map(scalarText).join('\n');
  if (kind === 'json') return JSON.stringify(value, null, 2);
  return scalarText(value);
};
