/**
 * What a person is typing, over a value that may change under it. As long as nothing was typed the
 * draft follows the value; after that it is never thrown away, and `moved` says that somebody else
 * changed the value meanwhile.
 */
import type { JsonValue } from '@hostwright/core';
import { useState } from 'react';
import { sameJson } from './same-json.ts';

export interface Draft<Value> {
  readonly value: Value;
  readonly changed: boolean;
  readonly moved: boolean;
  /** Grows when the draft was replaced from outside: fields with a text of their own start anew. */
  readonly turn: number;
  readonly set: (change: Value | ((before: Value) => Value)) => void;
  readonly takeTheirs: () => void;
}

export const useDraft = <Value extends JsonValue | undefined>(current: Value): Draft<Value> => {
  const [held, hold] = useState({ base: current, value: current, turn: 0 });
  const changed = !sameJson(held.value, held.base);
  const elsewhere = !sameJson(current, held.base);
  const mine = sameJson(current, held.value);
  // state that follows a property is set while rendering, so that no frame shows the old one
  if (elsewhere && (mine || !changed))
    hold({ base: current, value: current, turn: held.turn + (mine ? 0 : 1) });
  return {
    value: held.value,
    changed,
    moved: elsewhere && changed && !mine,
    turn: held.turn,
    set: (change) =>
      hold((before) => ({
        ...before,
        value: typeof change === 'function' ? change(before.value) : change,
      })),
    takeTheirs: () => hold({ base: current, value: current, turn: held.turn + 1 }),
  };
};
