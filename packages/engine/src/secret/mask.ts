/**
 * Takes secrets out of text before it is written anywhere. A script may print its password; the
 * log must not keep it (invariant 11). Masks the value as it is and as it commonly gets printed:
 * each line of it, JSON-escaped, URL-encoded, base64.
 */
import { MASK, type JsonValue } from '@hostwright/core';

export interface Masker {
  /** For text that is whole. */
  readonly mask: (text: string) => string;
  /**
   * Every text in it, names and numbers included; the shape stays. Masking it as JSON text would
   * miss what is JSON within a text, and break it where a secret looks like JSON (`true`, `1234`).
   */
  readonly maskValue: <Value extends JsonValue>(value: Value) => Value;
  /**
   * For a stream: gives back what is safe to write and keeps back the tail that may be the start
   * of a secret. `flush` gives the rest.
   */
  push(chunk: string): string;
  flush(): string;
}

/** Shorter ones would black out half of every log; they are refused where they are put. */
const SHORTEST = 4;

/** Whether a log could hide it: some line of it is long enough. */
export const canBeMasked = (value: string): boolean =>
  value.split(/\r?\n/).some((line) => line.trim().length >= SHORTEST);

const spellings = (value: string): string[] => [
  value,
  ...value.split(/\r?\n/),
  value.trim(),
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
  ...base64Of(value),
];

/** In all three phases: `user:password` in base64 has the password at any offset. */
const base64Of = (value: string): string[] =>
  [0, 1, 2].map((pad) => {
    const bytes = Buffer.concat([Buffer.alloc(pad), Buffer.from(value)]);
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64');
    return whole.slice(Math.ceil((pad * 8) / 6));
  });

const maskIn = (value: JsonValue, mask: (text: string) => string): JsonValue => {
  if (typeof value === 'string') return mask(value);
  if (typeof value === 'number') {
    const text = String(value);
    const shown = mask(text);
    return shown === text ? value : shown;
  }
  if (Array.isArray(value)) return value.map((item) => maskIn(item, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [mask(key), maskIn(part, mask)]),
  );
};

const NOTHING_TO_MASK: Masker = {
  mask: (text) => text,
  maskValue: (value) => value,
  push: (text) => text,
  flush: () => '',
};

export const createMasker = (secrets: readonly string[]): Masker => {
  const patterns = [...new Set(secrets.flatMap(spellings))]
    .filter((text) => text.length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length);
  if (patterns.length === 0) return NOTHING_TO_MASK;
  const longest = patterns[0]?.length ?? 0;
  const pattern = new RegExp(patterns.map((text) => RegExp.escape(text)).join('|'), 'g');
  const mask = (text: string) => text.replace(pattern, MASK);
  let held = '';

  /** Where the longest tail begins that could still become a secret. */
  const tail = (text: string): number => {
    for (let at = Math.max(0, text.length - longest + 1); at < text.length; at++) {
      const rest = text.slice(at);
      if (patterns.some((candidate) => candidate.startsWith(rest))) return at;
    }
    return text.length;
  };

  return {
    mask,
    // the same shape: at most a number has become a text
    maskValue: <Value extends JsonValue>(value: Value) => maskIn(value, mask) as Value,
    push: (chunk) => {
      const text = mask(held + chunk);
      const at = tail(text);
      held = text.slice(at);
      return text.slice(0, at);
    },
    flush: () => {
      const rest = mask(held);
      held = '';
      return rest;
    },
  };
};
