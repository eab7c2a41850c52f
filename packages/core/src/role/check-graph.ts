/** What is wrong with the graph of roles: names nobody fulfils, and circles. */
import type { Refusal } from '../errors.ts';
import type { Catalogue } from './catalogue.ts';
import type { Role } from './role.ts';

/** Names in the closure of a role's needs that no role fulfils, each with the chain that leads there. */
export const unresolvedNeeds = (
  catalogue: Catalogue,
  role: Role,
): readonly { readonly name: string; readonly chain: readonly string[] }[] => {
  const missing = new Map<string, readonly string[]>();
  const seen = new Set<number>();
  const visit = (current: Role, chain: readonly string[]): void => {
    if (seen.has(current.id)) return;
    seen.add(current.id);
    for (const name of catalogue.needs.get(current.id) ?? []) {
      const fulfilling = (catalogue.fulfil.get(name) ?? []).filter((other) => !other.removed);
      if (fulfilling.length === 0) {
        if (!missing.has(name)) missing.set(name, [...chain, name]);
      } else for (const other of fulfilling) visit(other, [...chain, other.name]);
    }
    for (const want of current.wants)
      if (!catalogue.attribs.has(want) && !missing.has(want)) missing.set(want, [...chain, want]);
  };
  visit(role, [role.name]);
  return [...missing].map(([name, chain]) => ({ name, chain }));
};

/**
 * Circles among roles by the names they give (needs and soft order). What is only provided is not
 * followed here: whether that makes a circle depends on what is bound where, and is checked on
 * noderoles.
 */
export const findRoleCycles = (catalogue: Catalogue): readonly (readonly string[])[] => {
  const cycles: string[][] = [];
  const state = new Map<string, 'open' | 'done'>();
  const path: string[] = [];
  const visit = (role: Role): void => {
    state.set(role.name, 'open');
    path.push(role.name);
    for (const name of [...(catalogue.needs.get(role.id) ?? []), ...role.after]) {
      const next = catalogue.byName.get(name);
      if (next === undefined || next.removed) continue;
      if (state.get(name) === 'open') cycles.push([...path.slice(path.indexOf(name)), name]);
      else if (!state.has(name)) visit(next);
    }
    path.pop();
    state.set(role.name, 'done');
  };
  for (const role of catalogue.roles) if (!role.removed && !state.has(role.name)) visit(role);
  return cycles;
};

export const refuseRoleCycles = (catalogue: Catalogue): Refusal[] =>
  findRoleCycles(catalogue).map((chain) => ({
    code: 'cycle',
    path: `roles.${chain[0] ?? ''}`,
    message: `roles require each other in a circle: ${chain.join(' -> ')}`,
  }));
