/**
 * Deletes a node: a tombstone stays, because history names it and its machine may boot again.
 * What people gave it to do must be unbound first, or abandoned with it; its discovery roles go
 * by themselves.
 */
import { HostwrightError, type Refusal } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { lockTree } from '../deployment/lock-tree.ts';
import { removeNoderoles } from '../noderole/remove-noderoles.ts';
import { needNode } from './find.ts';

export interface DeleteNodeOptions {
  readonly node: string | number;
  readonly revision?: number | undefined;
  /** The machine is gone for good: its noderoles are dropped without teardown, live runs fenced. */
  readonly abandon?: boolean | undefined;
  readonly actor: string;
}

export type DeletedNode =
  | { readonly ok: true; readonly abandoned: number }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

export const deleteNode = async (db: Db, options: DeleteNodeOptions): Promise<DeletedNode> =>
  transaction(db, (tx) => remove(tx, options));

const remove = async (tx: Tx, options: DeleteNodeOptions): Promise<DeletedNode> => {
  // a commit that is about to give it work ends first, or sees that it is gone
  await lockTree(tx, 'shared');
  const { id } = await needNode(tx, options.node);
  await tx.selectFrom('node').select('id').where('id', '=', id).forUpdate().execute();
  const node = await needNode(tx, id);
  if (options.revision !== undefined && options.revision !== node.revision)
    throw new HostwrightError('precondition_failed', { public: { revision: node.revision } });
  const given = await findGiven(tx, id);
  const refusals: Refusal[] = node.admin
    ? [
        {
          code: 'in_use',
          path: 'node',
          message: `${node.name} is the admin node: it runs Hostwright itself`,
        },
      ]
    : [];
  if (options.abandon !== true) refusals.push(...given.map(reasonOf));
  if (refusals.length > 0) return { ok: false, refusals };
  const noderoles = await tx
    .selectFrom('noderole')
    .select('id')
    .where('node_id', '=', id)
    .orderBy('id')
    .execute();
  await closeBindings(tx, id);
  if (noderoles.length > 0)
    await removeNoderoles(tx, {
      noderoleIds: noderoles.map((row) => row.id),
      abandon: true,
      actor: options.actor,
    });
  await tx
    .updateTable('node')
    .set((row) => ({
      deleted_at: sql<Date>`now()`,
      alive: false,
      alive_reason: 'deleted',
      alive_hold: null,
      alive_changed_at: sql<Date>`now()`,
      revision: row('revision', '+', 1),
      updated_at: sql<Date>`now()`,
    }))
    .where('id', '=', id)
    .execute();
  await tx.deleteFrom('node_token').where('node_id', '=', id).execute();
  await tx.deleteFrom('node_presence').where('node_id', '=', id).execute();
  await tx.deleteFrom('node_group_member').where('node_id', '=', id).execute();
  return { ok: true, abandoned: given.length };
};

interface Given {
  readonly role: string;
  readonly deployment: string;
  readonly state: string;
}

/** Everything on the node that a person asked for: carried out or only proposed. */
const findGiven = async (tx: Tx, nodeId: number): Promise<Given[]> => {
  const { rows } = await sql<Given>`
    select r.name as role, d.name as deployment, nr.state
    from noderole nr join role r on r.id = nr.role_id join deployment d on d.id = nr.deployment_id
    where nr.node_id = ${nodeId} and not d.system
    union all
    select r.name, d.name, 'proposed'
    from binding b join role r on r.id = b.role_id join deployment d on d.id = b.deployment_id
    where b.node_id = ${nodeId} and b.removed_revision is null and not d.system
      and not exists (select 1 from noderole nr where nr.node_id = b.node_id and nr.role_id = b.role_id)
    order by 2, 1`.execute(tx);
  return rows;
};

const reasonOf = (given: Given): Refusal => ({
  code: 'in_use',
  path: given.role,
  message: `${given.role} is bound to it in ${given.deployment} (${given.state})`,
});

/** Out of every proposal and of what comes after; what was committed keeps saying what it said. */
const closeBindings = async (tx: Tx, nodeId: number): Promise<void> => {
  await sql`
    with committed as (
      select d.id, coalesce((select max(s.revision) from snapshot s
        where s.deployment_id = d.id and s.state <> 'proposed'), 0) as revision
      from deployment d where d.id in (select deployment_id from binding where node_id = ${nodeId} and removed_revision is null)
    ), dropped as (
      delete from binding b using committed c
      where b.deployment_id = c.id and b.node_id = ${nodeId} and b.removed_revision is null and b.added_revision > c.revision
    )
    update binding b set removed_revision = c.revision + 1 from committed c
    where b.deployment_id = c.id and b.node_id = ${nodeId} and b.removed_revision is null and b.added_revision <= c.revision`.execute(
    tx,
  );
  await sql`
    update snapshot set edits = edits + 1 where state = 'proposed' and deployment_id in (
      select deployment_id from binding where node_id = ${nodeId})`.execute(tx);
};
