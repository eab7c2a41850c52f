import type { WhyNoderole } from './facts.ts';

export const nameOf = (it: Pick<WhyNoderole, 'role' | 'node'>): string =>
  `${it.role} on ${it.node.name}`;

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** In the largest unit that gives at least one. */
export const forSeconds = (seconds: number): string => {
  const [unit, size] = UNITS.find(([, candidate]) => seconds >= candidate) ?? ['second', 1];
  const count = Math.max(0, Math.round(seconds / size));
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
};

export const inSeconds = forSeconds;
