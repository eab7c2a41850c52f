/** Every reason why a role may not be bound to a node, at once. */
import type { Refusal } from '../errors.ts';
import type { Catalogue } from '../role/catalogue.ts';
import { unresolvedNeeds } from '../role/check-graph.ts';
import type { Role } from '../role/role.ts';
import { boundAt, instancesOf, type Board, type BoardNode, type Bound } from './board.ts';

/** Roles that keep Hostwright or a whole deployment going; anything else is workload. */
export const isWorkload = (role: Role): boolean =>
  role.lane !== 'service' &&
  !role.flags.has('bootstrap') &&
  !role.flags.has('discovery') &&
  !role.flags.has('service');

const names = (role: Role): string[] => [role.name, ...role.provides];

type Clash = 'conflicts' | 'provides';
const clashesOf = new WeakMap<Catalogue, Map<number, ReadonlyMap<number, Clash>>>();

/** Which roles a role cannot share a node with: it or the other says so, or both provide the same. */
const clashes = (catalogue: Catalogue, role: Role): ReadonlyMap<number, Clash> => {
  let known = clashesOf.get(catalogue);
  if (known === undefined) clashesOf.set(catalogue, (known = new Map()));
  const before = known.get(role.id);
  if (before !== undefined) return before;
  const found = new Map<number, Clash>();
  for (const other of catalogue.roles) {
    if (other.id === role.id) continue;
    if (
      names(other).some((name) => role.conflicts.includes(name)) ||
      names(role).some((name) => other.conflicts.includes(name))
    )
      found.set(other.id, 'conflicts');
    else if (
      role.provides.some((name) => names(other).includes(name)) ||
      other.provides.includes(role.name)
    )
      found.set(other.id, 'provides');
  }
  known.set(role.id, found);
  return found;
};

const problemsOf = new WeakMap<Catalogue, Map<number, readonly Refusal[]>>();

/** Reasons that lie in the role alone, whatever the node. */
export const checkRole = (catalogue: Catalogue, role: Role): readonly Refusal[] => {
  let known = problemsOf.get(catalogue);
  if (known === undefined) problemsOf.set(catalogue, (known = new Map()));
  const before = known.get(role.id);
  if (before !== undefined) return before;
  const refusals: Refusal[] = [];
  const refuse = (code: string, message: string) =>
    refusals.push({ code, path: `roles.${role.name}`, message });
  if (role.removed)
    refuse('role_removed', `role ${role.name} is no longer part of barclamp ${role.barclamp}`);
  if (role.flags.has('abstract')) {
    const providers = (catalogue.fulfil.get(role.name) ?? []).map((other) => other.name);
    refuse(
      'role_abstract',
      `role ${role.name} is abstract: bind a role that provides it (${providers.length > 0 ? providers.join(', ') : 'none is imported'})`,
    );
  }
  if (!catalogue.jigs.has(role.jig))
    refuse('jig_missing', `role ${role.name} needs jig ${role.jig}, which is not there`);
  for (const { name, chain } of unresolvedNeeds(catalogue, role))
    refuse(
      'unresolved',
      `role ${role.name} needs ${name}, which no imported barclamp has (${chain.join(' -> ')})`,
    );
  known.set(role.id, refusals);
  return refusals;
};

const checkPlace = (board: Board, role: Role, node: BoardNode, add: Add): void => {
  const [own] = board.chain;
  if (own === undefined) return;
  const elsewhere = boundAt(board, node.id, role.id);
  if (elsewhere !== undefined && elsewhere.deploymentId !== own.id)
    add(
      'bound_elsewhere',
      `${role.name} is bound to ${node.name} already, in deployment ${nameOf(board, elsewhere.deploymentId)}`,
    );
  if (role.flags.has('service') && !role.flags.has('cluster')) {
    const other = instancesOf(board, own.id, role.id).find((bound) => bound.nodeId !== node.id);
    if (other !== undefined)
      add(
        'service_taken',
        `${role.name} serves deployment ${own.name} from ${board.nodes.get(other.nodeId)?.name ?? `node ${other.nodeId}`} already; one instance serves a deployment`,
      );
  }
  const home = node.deploymentId;
  if (!board.chain.some((deployment) => deployment.id === home) && !board.below.has(home))
    add(
      'node_elsewhere',
      `node ${node.name} belongs to deployment ${nameOf(board, home)}, which is not above ${own.name}: bind it in a deployment below ${nameOf(board, home)}, or move the node`,
    );
};

type Add = (code: string, message: string) => void;
const nameOf = (board: Board, deploymentId: number): string =>
  board.chain.find((deployment) => deployment.id === deploymentId)?.name ??
  board.names.get(deploymentId) ??
  `number ${deploymentId}`;

export const pathOf = (role: Role | undefined, node: BoardNode | undefined, bound: Bound): string =>
  `${role?.name ?? bound.roleId}@${node?.name ?? bound.nodeId}`;

/** `requested`: somebody asked for this very binding, rather than it being pulled in by another. */
export const checkBinding = (
  board: Board,
  bound: Bound,
  requested: 'requested' | 'pulled in',
): Refusal[] => {
  const role = board.catalogue.byId.get(bound.roleId);
  const node = board.nodes.get(bound.nodeId);
  const path = pathOf(role, node, bound);
  if (role === undefined)
    return [{ code: 'unknown_role', path, message: `there is no role ${bound.roleId}` }];
  if (node === undefined)
    return [{ code: 'unknown_node', path, message: `there is no node ${bound.nodeId}` }];
  const refusals: Refusal[] = checkRole(board.catalogue, role).map((refusal) => ({
    ...refusal,
    path,
  }));
  const add: Add = (code, message) => refusals.push({ code, path, message });
  checkPlace(board, role, node, add);
  if (node.admin && requested === 'requested' && isWorkload(role))
    add('admin_node', `${role.name} is a workload and ${node.name} is the admin node`);
  const clashing = clashes(board.catalogue, role);
  if (clashing.size > 0)
    for (const otherId of board.onNode.get(node.id)?.keys() ?? []) {
      const clash = clashing.get(otherId);
      const other = board.catalogue.byId.get(otherId);
      if (clash === undefined || other === undefined) continue;
      add(
        clash === 'conflicts' ? 'conflict' : 'provides_clash',
        clash === 'conflicts'
          ? `${role.name} and ${other.name} conflict and ${node.name} has ${other.name}`
          : `${role.name} and ${other.name} provide the same and ${node.name} has ${other.name}`,
      );
    }
  return refusals;
};
