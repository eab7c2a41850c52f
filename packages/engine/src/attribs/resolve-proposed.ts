/**
 * The attributes that bindings of a proposal would get if it were committed now. They are no
 * noderoles yet, so they have no ancestors' walls; whoever plans by them must do without those.
 */
import { mergeLayers, type JsonObject } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { readCatalogue } from '../role/read-catalogue.ts';
import { layerAll } from './layers.ts';
import { completeRows, type AsProposed, type NoderoleRow } from './load-rows.ts';

export interface ProposedBinding {
  readonly roleId: number;
  readonly nodeId: number;
}

export const resolveProposed = async (
  db: Db | Tx,
  proposed: AsProposed,
  bindings: readonly ProposedBinding[],
): Promise<readonly JsonObject[]> => {
  if (bindings.length === 0) return [];
  // ids below zero are of no noderole
  const { rows } = await sql<NoderoleRow>`
    select -p.place as id, p.role_id as "roleId", p.node_id as "nodeId", n.name as node, ${proposed.deploymentId}::bigint as "deploymentId",
           nullif(b.data, '{}') as data, nullif(w.wall, '{}') as wall, nullif(n.hint, '{}') as hint
    from unnest(${bindings.map((one) => one.roleId)}::bigint[], ${bindings.map((one) => one.nodeId)}::bigint[])
      with ordinality as p(role_id, node_id, place)
    join node n on n.id = p.node_id
    left join noderole w on w.role_id = p.role_id and w.node_id = p.node_id
    left join binding b on b.deployment_id = ${proposed.deploymentId} and b.role_id = p.role_id and b.node_id = p.node_id
      and b.added_revision <= ${proposed.revision} and (b.removed_revision is null or b.removed_revision > ${proposed.revision})`.execute(
    db,
  );
  const catalogue = await readCatalogue(db);
  const noderoles = new Map(rows.map((row) => [row.id, row]));
  const layered = layerAll(
    catalogue,
    await completeRows(db, catalogue, { noderoles, links: new Map(), proposed }),
  );
  return bindings.map((_, index) => mergeLayers(layered(-(index + 1))?.layers ?? []));
};
