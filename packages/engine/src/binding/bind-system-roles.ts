/**
 * Binds the system deployment's roles: bootstrap roles to the admin node, discovery roles to every
 * other node. Committed directly, without a snapshot per machine. A role that cannot be bound
 * (content that is not complete yet, a conflict on that node) is left out for that node: a machine
 * must not fail to appear because of one role.
 */
import {
  buildGraph,
  checkRole,
  type BindRequest,
  type BoardDeployment,
  type BoardInput,
  type BoardNode,
  type Bound,
  type Catalogue,
  type GraphItem,
  type Role,
} from '@hostwright/core';
import type { Tx } from '../db/open.ts';
import { lockTree } from '../deployment/lock-tree.ts';
import { markFromParents } from '../noderole/mark-descendants.ts';
import { readCatalogue } from '../role/read-catalogue.ts';
import { linkAttribs } from '../snapshot/link-attribs.ts';
import { edgesOf, wireItems } from '../snapshot/wire-items.ts';
import { insertEdges, insertNoderoles } from '../snapshot/write-noderoles.ts';
import { closure, readBoardNodes, readElsewhere } from './load-board.ts';
import { settleWhatFits } from './settle-what-fits.ts';

interface SystemRoles {
  readonly catalogue: Catalogue;
  readonly bootstrap: readonly Role[];
  readonly discovery: readonly Role[];
  /** Those involved that may stand on another node. */
  readonly shared: readonly number[];
  /** Some role needs one that may stand on another node. */
  readonly leansOnOthers: boolean;
}

const readSystemRoles = async (tx: Tx): Promise<SystemRoles> => {
  const catalogue = await readCatalogue(tx);
  const flagged = (flag: 'bootstrap' | 'discovery') =>
    catalogue.roles.filter(
      (role) => role.flags.has(flag) && !role.removed && checkRole(catalogue, role).length === 0,
    );
  const [bootstrap, discovery] = [flagged('bootstrap'), flagged('discovery')];
  const involved = [
    ...closure(
      catalogue,
      [...bootstrap, ...discovery].map(({ id }) => id),
    ),
  ];
  const shared = involved.filter((id) => !catalogue.byId.get(id)?.flags.has('implicit'));
  const needed = new Set(involved.flatMap((id) => catalogue.needs.get(id) ?? []));
  const leansOnOthers = shared.some((id) => needed.has(catalogue.byId.get(id)?.name ?? ''));
  return { catalogue, bootstrap, discovery, shared, leansOnOthers };
};

interface SystemBoard {
  readonly input: BoardInput;
  readonly nodes: readonly BoardNode[];
  readonly standing: ReadonlyMap<Bound, { readonly id: number; readonly cohort: number }>;
}

const readSystemBoard = async (
  tx: Tx,
  options: {
    readonly roles: SystemRoles;
    readonly system: BoardDeployment;
    readonly nodeIds: readonly number[];
  },
): Promise<SystemBoard> => {
  const { roles, system, nodeIds } = options;
  const nodes = await readBoardNodes(tx, nodeIds);
  const rows = await readElsewhere(tx, {
    deploymentId: 0,
    up: [system.id],
    nodeIds,
    leanOn: roles.shared,
  });
  const asked = new Set(nodeIds);
  const others = rows.map((row) => row.nodeId).filter((id) => !asked.has(id));
  const standing = new Map(
    rows.map(({ id, cohort, roleId, nodeId, deploymentId }) => [
      { roleId, nodeId, deploymentId, origin: 'required' } satisfies Bound,
      { id, cohort },
    ]),
  );
  return {
    nodes,
    standing,
    input: {
      catalogue: roles.catalogue,
      chain: [system],
      // a machine may be made in any deployment and is discovered by the system one all the same
      below: new Set(nodes.map((node) => node.deploymentId)),
      nodes: [...nodes, ...(await readBoardNodes(tx, others))],
      bound: [...standing.keys()],
    },
  };
};

/** What each node lacks. */
const findRequests = (roles: SystemRoles, { nodes, standing }: SystemBoard): BindRequest[] => {
  const has = new Set([...standing.keys()].map(({ roleId, nodeId }) => `${roleId}@${nodeId}`));
  return nodes.flatMap((node) =>
    (node.admin ? roles.bootstrap : roles.discovery)
      .filter((role) => !has.has(`${role.id}@${node.id}`))
      .map((role) => ({ roleId: role.id, nodeId: node.id })),
  );
};

const writeNoderoles = async (
  tx: Tx,
  options: {
    readonly catalogue: Catalogue;
    readonly systemId: number;
    readonly items: readonly GraphItem[];
    readonly standing: SystemBoard['standing'];
  },
): Promise<void> => {
  const { catalogue, items } = options;
  const { idOf, pendingOf, underFailed } = await wireItems(tx, {
    fresh: items,
    written: items,
    standingId: (bound) => options.standing.get(bound)?.id,
  });
  await insertNoderoles(tx, {
    deploymentId: options.systemId,
    snapshotId: null,
    cause: 'new node',
    rows: items.map((item) => {
      const role = catalogue.byId.get(item.bound.roleId);
      return {
        id: idOf(item.bound),
        item,
        lane: role?.lane ?? 'host',
        priority: role?.priority ?? 0,
        pending: pendingOf(item),
        data: null,
        holds: [],
      };
    }),
  });
  await insertEdges(tx, edgesOf(items, idOf));
  await linkAttribs(tx, { catalogue, items, idOf, relink: [] });
  const failed = underFailed(items);
  if (failed.length > 0) await markFromParents(tx, failed);
};

export const bindSystemRoles = async (
  tx: Tx,
  options: { readonly nodeIds: readonly number[] },
): Promise<void> => {
  if (options.nodeIds.length === 0) return;
  const roles = await readSystemRoles(tx);
  if (roles.bootstrap.length + roles.discovery.length === 0) return;
  // two machines at once may both find that a role they share is bound nowhere: only then one waits
  await lockTree(tx, roles.leansOnOthers ? 'alone' : 'shared');
  const system = await tx
    .selectFrom('deployment')
    .select(['id', 'name'])
    .where('system', '=', true)
    .executeTakeFirstOrThrow();
  const { input, standing, nodes } = await readSystemBoard(tx, { ...options, roles, system });
  const { board, bound } = settleWhatFits(input, findRequests(roles, { input, standing, nodes }));
  if (bound.length === 0) return;
  const graph = buildGraph(board, bound, (one) => standing.get(one)?.cohort ?? 0);
  if (graph.refusals.length > 0) return;
  await writeNoderoles(tx, {
    catalogue: roles.catalogue,
    systemId: system.id,
    items: graph.items,
    standing,
  });
};
