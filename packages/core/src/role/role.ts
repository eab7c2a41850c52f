/** A role as the planner sees it: everything by value, names resolved by the catalogue. */
import type { JsonObject, JsonValue } from '../json.ts';
import type { Lane } from '../run/status.ts';

export const ROLE_FLAGS = [
  'discovery',
  'bootstrap',
  'implicit',
  'library',
  'cluster',
  'destructive',
  'abstract',
  'milestone',
  'service',
  'powersave',
  'reboots',
] as const;
export type RoleFlag = (typeof ROLE_FLAGS)[number];

export interface Role {
  readonly id: number;
  readonly name: string;
  readonly barclamp: string;
  readonly jig: string;
  readonly lane: Lane;
  readonly flags: ReadonlySet<RoleFlag>;
  /** Must be bound and active first; names of roles or of what roles provide. */
  readonly requires: readonly string[];
  /** Order only, where both are bound. */
  readonly after: readonly string[];
  readonly provides: readonly string[];
  readonly conflicts: readonly string[];
  /** Names of attributes of other roles, or of the node. */
  readonly wants: readonly string[];
  readonly priority: number;
  readonly teardown: boolean;
  readonly revision: number;
  /** Dropped by a later import: what is bound stays, nothing new is bound. */
  readonly removed: boolean;
  readonly data: JsonObject;
  readonly barclampData: JsonObject;
}

export interface Attrib {
  readonly name: string;
  /** The role that owns it; null: the node (facts, hints). */
  readonly role: string | null;
  readonly path: readonly string[];
  readonly description: string;
  readonly schema: JsonObject | null;
  /** undefined: none. */
  readonly fallback: JsonValue | undefined;
  readonly secret: boolean;
  readonly volatile: boolean;
}
