/** Roles, attributes and boards by value, with as little as a test needs to say. */
import {
  buildCatalogue,
  createBoard,
  type Attrib,
  type Board,
  type BoardNode,
  type Bound,
  type Catalogue,
  type Role,
  type RoleFlag,
} from '@hostwright/core';

export type RoleText = Partial<Omit<Role, 'flags'>> & {
  readonly name: string;
  readonly flags?: readonly RoleFlag[];
};

export const makeRole = (text: RoleText, id: number): Role => ({
  id,
  barclamp: 'test',
  jig: 'noop',
  lane: 'host',
  requires: [],
  after: [],
  provides: [],
  conflicts: [],
  wants: [],
  priority: 0,
  teardown: false,
  revision: 1,
  removed: false,
  data: {},
  barclampData: {},
  ...text,
  flags: new Set(text.flags ?? []),
});

export const makeAttrib = (text: Partial<Attrib> & { readonly name: string }): Attrib => ({
  role: null,
  path: [text.name],
  description: '',
  schema: null,
  fallback: undefined,
  secret: false,
  volatile: false,
  ...text,
});

export const makeCatalogue = (
  roles: readonly RoleText[],
  attribs: readonly Attrib[] = [],
): Catalogue =>
  buildCatalogue({
    roles: roles.map((role, index) => makeRole(role, index + 1)),
    attribs,
    jigs: ['noop'],
  });

/** Deployment 1 is the system one, 2 below it, 3 below that, and so on. */
export const OWN = 3;
const CHAIN = [
  { id: 3, name: 'shop' },
  { id: 2, name: 'site' },
  { id: 1, name: 'system' },
];

export interface BoardText {
  readonly nodes?: readonly (string | (Partial<BoardNode> & { readonly name: string }))[];
  /** `role@node` in the deployment concerned, or `role@node:2` in another. */
  readonly bound?: readonly string[];
  readonly below?: ReadonlySet<number>;
}

export const makeNodes = (text: BoardText): BoardNode[] =>
  (text.nodes ?? ['n1', 'n2', 'n3']).map((node, index) => ({
    id: index + 1,
    admin: false,
    deploymentId: 1,
    ...(typeof node === 'string' ? { name: node } : node),
  }));

export const makeBound = (
  catalogue: Catalogue,
  nodes: readonly BoardNode[],
  pair: string,
  origin: Bound['origin'] = 'operator',
): Bound => {
  const [role = '', rest = ''] = pair.split('@');
  const [node = '', deployment = String(OWN)] = rest.split(':');
  return {
    roleId: catalogue.byName.get(role)?.id ?? 0,
    nodeId: nodes.find((candidate) => candidate.name === node)?.id ?? 0,
    deploymentId: Number(deployment),
    origin,
  };
};

export const makeBoard = (catalogue: Catalogue, text: BoardText = {}): Board => {
  const nodes = makeNodes(text);
  return createBoard({
    catalogue,
    chain: CHAIN,
    ...(text.below === undefined ? {} : { below: text.below }),
    nodes,
    bound: (text.bound ?? []).map((pair) => makeBound(catalogue, nodes, pair)),
  });
};

export const request = (board: Board, pair: string): { roleId: number; nodeId: number } => {
  const { roleId, nodeId } = makeBound(board.catalogue, [...board.nodes.values()], pair);
  return { roleId, nodeId };
};

export const nameOf = (board: Board, bound: { roleId: number; nodeId: number }): string =>
  `${board.catalogue.byId.get(bound.roleId)?.name ?? '?'}@${board.nodes.get(bound.nodeId)?.name ?? '?'}`;
