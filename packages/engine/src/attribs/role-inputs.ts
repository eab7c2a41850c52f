/** What can be said of a role's inputs without looking at any noderole; worked out once per catalogue. */
import {
  declaredInputs,
  merge,
  put,
  type Attrib,
  type Catalogue,
  type JsonObject,
  type Role,
} from '@hostwright/core';

export interface RoleInputs {
  readonly declared: readonly Attrib[];
  readonly destructive: boolean;
  /** Defaults of own attributes (and of wanted facts) under the role's own data. */
  readonly defaults: JsonObject;
  /** Facts it wants, by path. */
  readonly facts: readonly Attrib[];
  /** Attributes of other roles it wants. */
  readonly fromAncestors: readonly Attrib[];
}

const known = new WeakMap<Catalogue, Map<number, RoleInputs>>();

const workOut = (catalogue: Catalogue, role: Role): RoleInputs => {
  const declared = declaredInputs(catalogue, role);
  let defaults: JsonObject = {};
  for (const attrib of declared)
    if (attrib.fallback !== undefined && (attrib.role === null || attrib.role === role.name))
      defaults = put(defaults, attrib.path, attrib.fallback);
  return {
    declared,
    destructive: role.flags.has('destructive'),
    defaults: merge(defaults, role.data) as JsonObject,
    facts: declared.filter((attrib) => attrib.role === null),
    fromAncestors: declared.filter((attrib) => attrib.role !== null && attrib.role !== role.name),
  };
};

export const roleInputs = (catalogue: Catalogue, role: Role): RoleInputs => {
  let roles = known.get(catalogue);
  if (roles === undefined) known.set(catalogue, (roles = new Map()));
  let inputs = roles.get(role.id);
  if (inputs === undefined) roles.set(role.id, (inputs = workOut(catalogue, role)));
  return inputs;
};
