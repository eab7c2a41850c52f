/**
 * A value that cannot be shown by accident: whatever prints, logs or serialises it gets `[secret]`.
 * Only `reveal` gives it out, so that a search for `reveal(` finds every place that does.
 */
import { inspect } from 'node:util';

const SHOWN = '[secret]';
const values = new WeakMap<Secret, string>();

export interface Secret {
  toString(): string;
  toJSON(): string;
}

export const wrapSecret = (value: string): Secret => {
  const secret: Secret = Object.freeze({
    toString: () => SHOWN,
    toJSON: () => SHOWN,
    [Symbol.toPrimitive]: () => SHOWN,
    [inspect.custom]: () => SHOWN,
  });
  values.set(secret, value);
  return secret;
};

export const reveal = (secret: Secret): string => values.get(secret) ?? '';
