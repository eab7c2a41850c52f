/**
 * Numbers that look random and are the same for the same seed, so that a fleet can be met again:
 * the same seed gives the same machines, and the same machine fails at the same task.
 */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number;
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
  hex(digits: number): string;
}

const mix = (seed: number, stream: number): number => {
  let h = (seed ^ Math.imul(stream + 0x9e3779b9, 0x85ebca6b)) >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad) >>> 0;
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97) >>> 0;
  return (h ^ (h >>> 15)) >>> 0;
};

/** mulberry32: four bytes of state, which matters when ten thousand machines keep one each. */
export const randomOf = (seed: number, stream: number): Random => {
  let state = mix(seed, stream);
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    between,
    pick: (values) => values[Math.floor(next() * values.length)] ?? values[0],
    hex: (digits) => Array.from({ length: digits }, () => between(0, 15).toString(16)).join(''),
  };
};
