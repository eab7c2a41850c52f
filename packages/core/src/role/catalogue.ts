/**
 * All roles and attributes, indexed by what is asked of them. Built once per revision of the
 * content and shared by planner, binder and layering; never changed afterwards.
 */
import type { Attrib, Role } from './role.ts';

export interface Catalogue {
  readonly roles: readonly Role[];
  readonly byId: ReadonlyMap<number, Role>;
  readonly byName: ReadonlyMap<string, Role>;
  readonly attribs: ReadonlyMap<string, Attrib>;
  /** Own attributes of a role, by role name; '' holds the node's. */
  readonly attribsOf: ReadonlyMap<string, readonly Attrib[]>;
  /** Jigs that exist (active or not). */
  readonly jigs: ReadonlySet<string>;
  /**
   * Roles that fulfil a name: the role of that name itself (unless abstract or removed) first, then
   * those that provide it, by name.
   */
  readonly fulfil: ReadonlyMap<string, readonly Role[]>;
  /** Names a role needs before it: requires, and the owners of attributes it wants. */
  readonly needs: ReadonlyMap<number, readonly string[]>;
}

export interface CatalogueInput {
  readonly roles: readonly Role[];
  readonly attribs: readonly Attrib[];
  readonly jigs: Iterable<string>;
}

const needsOf = (role: Role, attribs: ReadonlyMap<string, Attrib>): string[] => {
  const needs = new Set(role.requires);
  for (const want of role.wants) {
    const owner = attribs.get(want)?.role;
    if (owner !== null && owner !== undefined && owner !== role.name) needs.add(owner);
  }
  return [...needs].sort();
};

export const buildCatalogue = (input: CatalogueInput): Catalogue => {
  const roles = input.roles.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const byName = new Map(roles.map((role) => [role.name, role]));
  const attribs = new Map(input.attribs.map((attrib) => [attrib.name, attrib]));
  const fulfil = new Map<string, Role[]>();
  const add = (name: string, role: Role) => {
    const list = fulfil.get(name);
    if (list === undefined) fulfil.set(name, [role]);
    else if (!list.includes(role)) list.push(role);
  };
  const usable = roles.filter((role) => !role.flags.has('abstract'));
  for (const role of usable) add(role.name, role);
  for (const role of usable) for (const name of role.provides) add(name, role);
  const attribsOf = new Map<string, Attrib[]>();
  for (const attrib of input.attribs) {
    const owner = attrib.role ?? '';
    const list = attribsOf.get(owner);
    if (list === undefined) attribsOf.set(owner, [attrib]);
    else list.push(attrib);
  }
  return {
    roles,
    byId: new Map(roles.map((role) => [role.id, role])),
    byName,
    attribs,
    attribsOf,
    jigs: new Set(input.jigs),
    fulfil,
    needs: new Map(roles.map((role) => [role.id, needsOf(role, attribs)])),
  };
};
