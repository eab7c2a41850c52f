import { deployment_graph } from '@hostwright/api/nouns/deployment-graph';
import { deployment_matrix } from '@hostwright/api/nouns/deployment-matrix';
import { fleet_get, type Fleet } from '@hostwright/api/nouns/fleet';
import { NODE_ROLLUPS, NODEROLE_STATES } from '@hostwright/core';
import {
  listDeploymentTree,
  needDeploymentId,
  listAttention,
  readGraph,
  readHead,
  readMatrix,
  rollupOf,
} from '@hostwright/engine';
import type { Context } from '../context.ts';
import type { BookRow } from '../fleet/book.ts';
import { route } from '../http/route.ts';
import { cursorText } from './event.ts';

const BITS = { alive: 1, available: 2, admin: 4, attention: 8 } as const;

const labelColumns = (rows: readonly BookRow[]): Fleet['labels'] => {
  const columns = new Map<string, { values: Map<string, number>; index: number[] }>();
  rows.forEach((row, at) => {
    for (const [key, value] of Object.entries(row.labels)) {
      let column = columns.get(key);
      if (column === undefined) {
        column = { values: new Map(), index: rows.map(() => -1) };
        columns.set(key, column);
      }
      const known = column.values.get(value) ?? column.values.size;
      column.values.set(value, known);
      column.index[at] = known;
    }
  });
  return Object.fromEntries(
    [...columns].map(([key, { values, index }]) => [key, { values: [...values.keys()], index }]),
  );
};

const readColumns = async (context: Context): Promise<Fleet> => {
  const { cursor, rows } = await context.book.read();
  const attention = new Set(await listAttention(context.db));
  const deployments = await listDeploymentTree(context.db);
  const place = new Map(deployments.map((deployment, index) => [deployment.id, index]));
  const rollups = new Map<string, number>(NODE_ROLLUPS.map((rollup, index) => [rollup, index]));
  const counts = rows.flatMap((row) => NODEROLE_STATES.map((state) => row[state]));
  return {
    position: cursorText(cursor),
    count: rows.length,
    rollups: [...NODE_ROLLUPS],
    deployments,
    ids: rows.map((row) => row.id),
    names: rows.map((row) => row.name),
    rollup: rows.map((row) => rollups.get(rollupOf(row)) ?? 0),
    bits: rows.map(
      (row) =>
        (row.alive ? BITS.alive : 0) |
        (row.available ? BITS.available : 0) |
        (row.admin ? BITS.admin : 0) |
        (attention.has(row.id) ? BITS.attention : 0),
    ),
    deployment: rows.map((row) => place.get(row.deploymentId) ?? 0),
    active: rows.map((row) => row.active),
    total: rows.map((row) => NODEROLE_STATES.reduce((sum, state) => sum + row[state], 0)),
    counts,
    work: rows.map((row) => row.work),
    labels: labelColumns(rows),
  };
};

export const fleetRoutes = () => [
  route(fleet_get, async ({ query, context }) => {
    const fleet = await readColumns(context);
    return query.labels === false ? { ...fleet, labels: {} } : fleet;
  }),
  route(deployment_matrix, async ({ params, query, context }) => {
    const deploymentId = await needDeploymentId(context.db, params.deployment);
    const position = cursorText(await readHead(context.db));
    const { nodes, roles, cells } = await readMatrix(context.db, {
      deploymentId,
      under: query.under,
      snapshotId: query.snapshot,
    });
    const nodeAt = new Map(nodes.map((node, index) => [node.id, index]));
    const roleAt = new Map(roles.map((role, index) => [role.id, index]));
    const states = new Map<string, number>(NODEROLE_STATES.map((state, index) => [state, index]));
    return {
      position,
      states: [...NODEROLE_STATES],
      nodes,
      roles,
      ids: cells.map((cell) => cell.id),
      node: cells.map((cell) => nodeAt.get(cell.nodeId) ?? -1),
      role: cells.map((cell) => roleAt.get(cell.roleId) ?? -1),
      state: cells.map((cell) => states.get(cell.state) ?? 0),
      bits: cells.map((cell) => cell.bits),
    };
  }),
  route(deployment_graph, async ({ params, query, context }) => {
    const deploymentId = await needDeploymentId(context.db, params.deployment);
    const position = cursorText(await readHead(context.db));
    const graph = await readGraph(context.db, {
      deploymentId,
      node: query.node,
      role: query.role,
      limit: query.limit ?? 2000,
    });
    return {
      position,
      ...graph,
      edges: graph.edges.map(([parent, child, soft]): [number, number, boolean] => [
        parent,
        child,
        soft,
      ]),
    };
  }),
];
