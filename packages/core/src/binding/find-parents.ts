/**
 * Where a binding's needs are met: on the same node; else, unless the needed role is implicit, by
 * the nearest instance up the deployment tree; else nowhere yet. Within a deployment the role of
 * that very name goes before those that provide it, and the node with the lowest id (the oldest)
 * before the others, so that adding machines never moves what stands.
 */
import type { Role } from '../role/role.ts';
import { boundAt, instancesOf, type Board, type Bound } from './board.ts';

export interface Found {
  readonly parents: readonly Bound[];
  readonly where: 'same node' | 'up the tree';
}

/** Children of one member of a cluster role are children of all its members in that deployment. */
const withMembers = (board: Board, bound: Bound, role: Role, self: Bound): readonly Bound[] =>
  role.flags.has('cluster')
    ? instancesOf(board, bound.deploymentId, role.id).filter((member) => member !== self)
    : [bound];

const startOf = (board: Board, deploymentId: number): number => {
  const at = board.chain.findIndex((deployment) => deployment.id === deploymentId);
  return at < 0 ? 0 : at;
};

export const findParents = (board: Board, child: Bound, need: string): Found | undefined => {
  const candidates = board.catalogue.fulfil.get(need);
  if (candidates === undefined) return undefined;
  for (const role of candidates) {
    if (role.id === child.roleId) continue;
    const here = boundAt(board, child.nodeId, role.id);
    if (here !== undefined)
      return { parents: withMembers(board, here, role, child), where: 'same node' };
  }
  for (let at = startOf(board, child.deploymentId); at < board.chain.length; at++) {
    const deployment = board.chain[at];
    if (deployment === undefined) break;
    for (const role of candidates) {
      if (role.flags.has('implicit')) continue;
      const list = instancesOf(board, deployment.id, role.id);
      // a role that provides what it needs leans on another instance, never on itself
      const chosen = list.find(
        (bound) => bound.nodeId !== child.nodeId || role.id !== child.roleId,
      );
      if (chosen === undefined) continue;
      // siblings of the same role cannot lean on each other: only an instance further up will do
      if (role.id === child.roleId && deployment.id === child.deploymentId) continue;
      return { parents: withMembers(board, chosen, role, child), where: 'up the tree' };
    }
  }
  return undefined;
};

/** The role to bind on the node when a need is met nowhere; every choice if it is not clear. */
export const roleToPullIn = (board: Board, need: string): Role | readonly Role[] => {
  const usable = (board.catalogue.fulfil.get(need) ?? []).filter((role) => !role.removed);
  const [first] = usable;
  return first !== undefined && (first.name === need || usable.length === 1) ? first : usable;
};
