/**
 * What a plan was made from, by revision: never aliveness, states or nodes it does not touch. The
 * plan's hash is the hash of this, so a plan holds exactly as long as what it read stands still,
 * and two read sets tell what has moved.
 */
import { canonicalJson, type Digest } from '../canonical-json.ts';

export const READ_KINDS = [
  'proposal',
  'deployment',
  'role',
  'node',
  'bound elsewhere',
  'leans on',
  'needed by',
  'effects on',
] as const;
export type ReadKind = (typeof READ_KINDS)[number];

/** Keyed by `kind name`; the value changes whenever what was read does. */
export type ReadSet = Readonly<Record<string, string>>;

export const readKey = (kind: ReadKind, name: string): string => `${kind} ${name}`;

export const hashReadSet = (readSet: ReadSet, digest: Digest): string =>
  digest(canonicalJson({ ...readSet })).slice(0, 32);

export interface Moved {
  /** Such as `node n7`, `role web`, `proposal shop`. */
  readonly what: string;
  readonly from: string | null;
  readonly to: string | null;
}

export const whatMoved = (before: ReadSet, now: ReadSet): Moved[] => {
  const moved: Moved[] = [];
  for (const what of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const from = before[what] ?? null;
    const to = now[what] ?? null;
    if (from !== to) moved.push({ what, from, to });
  }
  return moved.sort((a, b) => (a.what < b.what ? -1 : 1));
};
