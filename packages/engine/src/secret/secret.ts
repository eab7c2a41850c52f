/**
 * A value that cannot be shown by accident: whatever prints, logs or serialises it gets `[secret]`.
 * Only `reveal` gives it out, so that a search for `reveal(` finds every place that does.
 */
import { inspect } from 'node:util';
import { MASK } from '@hostwright/core';

const values = new WeakMap<Secret, string>();

export interface Secret {
  toString(): string;
  toJSON(): string;
}

export const wrapSecret = (value: string): Secret => {
  const secret: Secret = Object.freeze({
    toString: () => MASK,
    toJSON: () => MASK,
    [Symbol.toPrimitive]: () => MASK,
    [inspect.custom]: () => MASK,
  });
  values.set(secret, value);
  return secret;
};

export const reveal = (secret: Secret): string => values.get(secret) ?? '';
