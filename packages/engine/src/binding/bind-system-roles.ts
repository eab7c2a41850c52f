/**
 * Binds the system deployment's roles: bootstrap roles to the admin node, discovery roles to every
 * other node. Committed directly, without a snapshot per machine. A role that cannot be bound
 * (content that is not complete yet, a conflict on that node) is left out for that node: a machine
 * must not fail to appear because of one role.
 */
import {
  buildGraph,
  checkRole,
  createBoard,
  settle,
  type BindRequest,
  type Bound,
  type Catalogue,
} from '@hostwright/core';
import type { Tx } from '../db/open.ts';
import { lockTree } from '../deployment/lock-tree.ts';
import { markFromParents } from '../noderole/mark-descendants.ts';
import { readCatalogue } from '../role/read-catalogue.ts';
import { linkAttribs } from '../snapshot/link-attribs.ts';
import {
  insertEdges,
  insertNoderoles,
  lockParents,
  reserveIds,
} from '../snapshot/write-noderoles.ts';
import { closure, readBoardNodes, readElsewhere } from './load-board.ts';

const bySelf = (catalogue: Catalogue, flag: 'bootstrap' | 'discovery') =>
  catalogue.roles.filter(
    (role) => role.flags.has(flag) && !role.removed && checkRole(catalogue, role).length === 0,
  );

export const bindSystemRoles = async (
  tx: Tx,
  options: { readonly nodeIds: readonly number[] },
): Promise<void> => {
  const catalogue = await readCatalogue(tx);
  const bootstrap = bySelf(catalogue, 'bootstrap');
  const discovery = bySelf(catalogue, 'discovery');
  const roleIds = [...bootstrap, ...discovery].map((role) => role.id);
  if (roleIds.length === 0 || options.nodeIds.length === 0) return;
  const involved = [...closure(catalogue, roleIds)];
  const shared = involved.filter((id) => !catalogue.byId.get(id)?.flags.has('implicit'));
  const needed = new Set(involved.flatMap((id) => catalogue.needs.get(id) ?? []));
  // two machines at once may both find that a role they share is bound nowhere: only then one waits
  const leansOnOthers = shared.some((id) => needed.has(catalogue.byId.get(id)?.name ?? ''));
  await lockTree(tx, leansOnOthers ? 'alone' : 'shared');

  const system = await tx
    .selectFrom('deployment')
    .select(['id', 'name'])
    .where('system', '=', true)
    .executeTakeFirstOrThrow();
  const nodes = await readBoardNodes(tx, options.nodeIds);
  const rows = await readElsewhere(tx, {
    deploymentId: 0,
    up: [system.id],
    nodeIds: options.nodeIds,
    leanOn: shared,
  });
  const asked = new Set(options.nodeIds);
  const has = new Set(rows.map((row) => `${row.roleId}@${row.nodeId}`));
  const standing = new Map<Bound, (typeof rows)[number]>();
  for (const row of rows)
    standing.set(
      {
        roleId: row.roleId,
        nodeId: row.nodeId,
        deploymentId: row.deploymentId,
        origin: 'required',
      },
      row,
    );
  const boardInput = {
    catalogue,
    chain: [system],
    // a machine may be made in any deployment and is discovered by the system one all the same
    below: new Set(nodes.map((node) => node.deploymentId)),
    nodes: [
      ...nodes,
      ...(await readBoardNodes(
        tx,
        rows.map((row) => row.nodeId).filter((id) => !asked.has(id)),
      )),
    ],
    bound: standing.keys(),
  };
  let requests: BindRequest[] = nodes.flatMap((node) =>
    (node.admin ? bootstrap : discovery)
      .filter((role) => !has.has(`${role.id}@${node.id}`))
      .map((role) => ({ roleId: role.id, nodeId: node.id })),
  );
  let board = createBoard(boardInput);
  let settled = settle(board, requests);
  while (settled.refusals.length > 0 && requests.length > 0) {
    const refused = new Set(settled.refusals.map((refusal) => refusal.path));
    const before = requests.length;
    requests = requests.filter(({ roleId, nodeId }) => {
      const name = `${catalogue.byId.get(roleId)?.name ?? ''}@${board.nodes.get(nodeId)?.name ?? ''}`;
      return !refused.has(name);
    });
    // what is refused was pulled in by something: leave those nodes out altogether
    if (requests.length === before) {
      const names = new Set([...refused].map((path) => path.slice(path.indexOf('@') + 1)));
      requests = requests.filter(({ nodeId }) => !names.has(board.nodes.get(nodeId)?.name ?? ''));
    }
    board = createBoard(boardInput);
    settled = settle(board, requests);
  }
  const fresh = [...settled.added, ...settled.pulledIn.map(({ bound }) => bound)];
  if (fresh.length === 0) return;
  const graph = buildGraph(board, fresh, (bound) => standing.get(bound)?.cohort ?? 0);
  if (graph.refusals.length > 0) return;
  const ids = await reserveIds(tx, fresh.length);
  const freshIds = new Map(graph.items.map(({ bound }, index) => [bound, ids[index] ?? 0]));
  const idOf = (bound: Bound): number => freshIds.get(bound) ?? standing.get(bound)?.id ?? 0;
  const parents = await lockParents(tx, [
    ...new Set(
      graph.items.flatMap(({ hard }) => hard.filter((bound) => !freshIds.has(bound)).map(idOf)),
    ),
  ]);
  await insertNoderoles(tx, {
    deploymentId: system.id,
    snapshotId: null,
    cause: 'new node',
    rows: graph.items.map((item) => {
      const role = catalogue.byId.get(item.bound.roleId);
      return {
        id: idOf(item.bound),
        item,
        lane: role?.lane ?? 'host',
        priority: role?.priority ?? 0,
        data: null,
        holds: [],
      };
    }),
    pending: ({ item }) =>
      item.hard.filter(
        (bound) => freshIds.has(bound) || parents.get(idOf(bound))?.state !== 'active',
      ).length,
  });
  await insertEdges(
    tx,
    graph.items.flatMap(({ bound, hard, soft }) => [
      ...hard.map((parent) => ({ parent: idOf(parent), child: idOf(bound), soft: false })),
      ...soft.map((parent) => ({ parent: idOf(parent), child: idOf(bound), soft: true })),
    ]),
  );
  await linkAttribs(tx, { catalogue, items: graph.items, idOf, relink: [] });
  const underFailed = graph.items
    .filter(({ hard }) => hard.some((bound) => parents.get(idOf(bound))?.failed === true))
    .map(({ bound }) => idOf(bound));
  if (underFailed.length > 0) await markFromParents(tx, underFailed);
};
