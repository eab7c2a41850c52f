/**
 * What is bound where: the little world in which a binding is decided. It holds what stands on the
 * nodes concerned and, for each deployment up the tree, the instances a role could lean on. The
 * binder puts new bindings on it as it goes, so that later choices see earlier ones.
 */
import type { Catalogue } from '../role/catalogue.ts';

export interface BoardNode {
  readonly id: number;
  readonly name: string;
  readonly admin: boolean;
  readonly deploymentId: number;
}

export interface BoardDeployment {
  readonly id: number;
  readonly name: string;
}

export type Origin = 'operator' | 'required';

export interface Bound {
  readonly roleId: number;
  readonly nodeId: number;
  readonly deploymentId: number;
  readonly origin: Origin;
}

export interface BoardInput {
  readonly catalogue: Catalogue;
  /** From the deployment concerned up to the system deployment. */
  readonly chain: readonly BoardDeployment[];
  /** Deployments below the one concerned: their nodes may be bound too. */
  readonly below?: ReadonlySet<number>;
  readonly nodes: Iterable<BoardNode>;
  readonly bound: Iterable<Bound>;
  /** Names of deployments beside the chain, for what is said about them. */
  readonly names?: ReadonlyMap<number, string>;
}

export interface Board {
  readonly catalogue: Catalogue;
  readonly chain: readonly BoardDeployment[];
  readonly below: ReadonlySet<number>;
  readonly names: ReadonlyMap<number, string>;
  readonly nodes: ReadonlyMap<number, BoardNode>;
  /** By node id, then role id. */
  readonly onNode: Map<number, Map<number, Bound>>;
  /** By deployment id, then role id; each list by node id, ascending. */
  readonly instances: Map<number, Map<number, Bound[]>>;
}

const insertByNode = (list: Bound[], bound: Bound): void => {
  const last = list.at(-1);
  if (last === undefined || last.nodeId < bound.nodeId) {
    list.push(bound);
    return;
  }
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.nodeId ?? 0) < bound.nodeId) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, bound);
};

export const place = (board: Board, bound: Bound): void => {
  let roles = board.onNode.get(bound.nodeId);
  if (roles === undefined) board.onNode.set(bound.nodeId, (roles = new Map()));
  roles.set(bound.roleId, bound);
  let lists = board.instances.get(bound.deploymentId);
  if (lists === undefined) board.instances.set(bound.deploymentId, (lists = new Map()));
  const list = lists.get(bound.roleId);
  if (list === undefined) lists.set(bound.roleId, [bound]);
  else insertByNode(list, bound);
};

export const boundAt = (board: Board, nodeId: number, roleId: number): Bound | undefined =>
  board.onNode.get(nodeId)?.get(roleId);

const NOBODY: readonly Bound[] = [];
export const instancesOf = (board: Board, deploymentId: number, roleId: number): readonly Bound[] =>
  board.instances.get(deploymentId)?.get(roleId) ?? NOBODY;

export const createBoard = (input: BoardInput): Board => {
  const board: Board = {
    catalogue: input.catalogue,
    chain: input.chain,
    below: input.below ?? new Set(),
    names: input.names ?? new Map(),
    nodes: new Map([...input.nodes].map((node) => [node.id, node])),
    onNode: new Map(),
    instances: new Map(),
  };
  for (const bound of [...input.bound].sort((a, b) => a.nodeId - b.nodeId)) place(board, bound);
  return board;
};
