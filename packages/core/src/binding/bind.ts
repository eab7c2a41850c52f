/**
 * Binds roles to nodes on a board: what was asked for, and what that needs. Pure and deterministic:
 * requests are taken by node id, then role name. Nothing is refused half way: every reason of every
 * request is collected, and the caller applies all or nothing.
 */
import type { Refusal } from '../errors.ts';
import type { Role } from '../role/role.ts';
import { boundAt, place, type Board, type Bound } from './board.ts';
import { checkBinding, pathOf } from './check-binding.ts';
import { findParents, roleToPullIn } from './find-parents.ts';

export interface PulledIn {
  readonly bound: Bound;
  /** A sentence: which binding needs it, and why here. */
  readonly reason: string;
}

export interface Settled {
  /** Every binding that was asked for or is needed by one, with its hard parents. */
  readonly parents: ReadonlyMap<Bound, readonly Bound[]>;
  readonly added: readonly Bound[];
  readonly pulledIn: readonly PulledIn[];
  readonly refusals: readonly Refusal[];
}

export interface BindRequest {
  readonly roleId: number;
  readonly nodeId: number;
}

const byNodeThenRole =
  (board: Board) =>
  (a: BindRequest, b: BindRequest): number =>
    a.nodeId - b.nodeId ||
    ((board.catalogue.byId.get(a.roleId)?.name ?? '') <
    (board.catalogue.byId.get(b.roleId)?.name ?? '')
      ? -1
      : 1);

const whyHere = (board: Board, child: Bound, need: string, role: Role): string => {
  const asker = pathOf(
    board.catalogue.byId.get(child.roleId),
    board.nodes.get(child.nodeId),
    child,
  );
  const named = need === role.name ? need : `${need}, which ${role.name} provides`;
  return role.flags.has('implicit')
    ? `${asker} requires ${named}, on the same node`
    : `${asker} requires ${named}, and there is none up the deployment tree`;
};

/**
 * Settles `requests` (and, where given, bindings that stand already as `seeds`): finds each one's
 * parents, pulls in what is missing, and checks what is new.
 */
export const settle = (
  board: Board,
  requests: readonly BindRequest[],
  seeds: readonly Bound[] = [],
): Settled => {
  const own = board.chain[0]?.id ?? 0;
  const added: Bound[] = [];
  const pulledIn: PulledIn[] = [];
  const refusals: Refusal[] = [];
  const parents = new Map<Bound, readonly Bound[]>();
  // What stands on other nodes was settled when it was bound, and the board need not hold what it
  // leans on there: walking on would pull that in a second time.
  const asked = new Set(requests.map((request) => request.nodeId));
  const known = (parent: Bound): boolean => seeds.length > 0 || asked.has(parent.nodeId);
  const work: Bound[] = seeds.toSorted((a, b) => a.nodeId - b.nodeId || a.roleId - b.roleId);

  for (const request of requests.toSorted(byNodeThenRole(board))) {
    const bound: Bound = { ...request, deploymentId: own, origin: 'operator' };
    const standing = boundAt(board, request.nodeId, request.roleId);
    if (standing !== undefined && standing.deploymentId === own) {
      work.push(standing);
      continue;
    }
    refusals.push(...checkBinding(board, bound, 'requested'));
    if (standing === undefined) {
      place(board, bound);
      added.push(bound);
      work.push(bound);
    }
  }

  const pull = (child: Bound, need: string): readonly Bound[] => {
    const choice = roleToPullIn(board, need);
    const path = pathOf(
      board.catalogue.byId.get(child.roleId),
      board.nodes.get(child.nodeId),
      child,
    );
    if (Array.isArray(choice)) {
      // with no choice at all the role's unresolved need has been reported already
      if (choice.length > 0)
        refusals.push({
          code: 'ambiguous',
          path,
          message: `${path} needs ${need}, which ${choice.map((role: Role) => role.name).join(' and ')} provide: bind the one you want`,
        });
      return [];
    }
    const role = choice as Role;
    const bound: Bound = {
      roleId: role.id,
      nodeId: child.nodeId,
      deploymentId: own,
      origin: 'required',
    };
    refusals.push(...checkBinding(board, bound, 'pulled in'));
    place(board, bound);
    pulledIn.push({ bound, reason: whyHere(board, child, need, role) });
    work.push(bound);
    return [bound];
  };

  // by index: `work` grows while it is walked
  for (let at = 0; at < work.length; at++) {
    const child = work[at];
    if (child === undefined || parents.has(child)) continue;
    const found = new Set<Bound>();
    for (const need of board.catalogue.needs.get(child.roleId) ?? [])
      for (const parent of findParents(board, child, need)?.parents ?? pull(child, need)) {
        found.add(parent);
        if (parent.deploymentId === own && known(parent) && !parents.has(parent)) work.push(parent);
      }
    parents.set(child, [...found]);
  }
  return { parents, added, pulledIn, refusals };
};
