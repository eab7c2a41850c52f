/**
 * Machines of deleted nodes that have come again. Nobody gets back unasked what somebody deleted:
 * the machine waits until a person adopts it, and then is the node it was, with its id and history.
 */
import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import { whereIdOrName } from '../db/id-or-name.ts';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import { reviveNode } from './adopt.ts';
import { readNodes, type NodeRecord } from './find.ts';

export interface NodeOffer {
  readonly id: number;
  readonly name: string;
  readonly serial: string | null;
  readonly macs: readonly string[];
  readonly deletedAt: Date;
  /** When its machine was last told of, at most once an hour. */
  readonly offeredAt: Date;
}

/** Newest first, of the last thirty days. */
export const listNodeOffers = async (db: Db | Tx): Promise<NodeOffer[]> => {
  const { rows } = await sql<NodeOffer>`
    select n.id, n.name, n.serial, n.macs, n.deleted_at as "deletedAt", e.at as "offeredAt"
    from node n cross join lateral (
      select at from event where node_id = n.id and kind = 'node.offered' and at > n.deleted_at and at > now() - interval '30 days'
      order by id desc limit 1) e
    where n.deleted_at is not null order by e.at desc, n.id limit 1000`.execute(db);
  return rows;
};

export const adoptDeletedNode = async (
  db: Db,
  options: { readonly node: string | number; readonly actor: string },
): Promise<NodeRecord> =>
  transaction(db, async (tx) => {
    const { rows } = await sql<{ id: number; name: string }>`
      select id, name from node where deleted_at is not null and ${whereIdOrName('node', options.node)}
      order by deleted_at desc limit 1 for update`.execute(tx);
    const [gone] = rows;
    if (gone === undefined)
      throw new HostwrightError('not_found', {
        message: `no node ${String(options.node).slice(0, 255)} was deleted`,
      });
    await reviveNode(tx, gone);
    const [node] = await readNodes(tx, [gone.id]);
    if (node === undefined) throw new HostwrightError('not_found');
    await emit(tx, {
      kind: 'node.adopted',
      nodeId: node.id,
      deploymentId: node.deploymentId,
      payload: { name: node.name, by: 'person', actor: options.actor },
    });
    return node;
  });
