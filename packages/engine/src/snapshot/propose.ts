/**
 * Opens a proposal. It holds what the deployment holds now: nothing is copied, for rows of a
 * revision stay open until a later one removes them. Based on an older revision, only what differs
 * is written.
 */
import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { sqlState, transaction } from '../db/transaction.ts';
import { readDeployment } from '../deployment/create.ts';
import { emit } from '../event/emit.ts';
import { readSnapshot, type SnapshotRecord } from './read.ts';

export interface NewProposal {
  readonly deploymentId: number;
  readonly actor: string;
  readonly message?: string | undefined;
  /** A revision whose content the proposal is to hold. */
  readonly basedOn?: number | undefined;
}

const TABLES = [
  {
    table: 'binding',
    key: ['role_id', 'node_id'],
    copied: ['role_id', 'node_id', 'data', 'origin', 'reason'],
  },
  { table: 'deployment_role', key: ['role_id'], copied: ['role_id', 'data'] },
  { table: 'deployment_data', key: [], copied: ['data'] },
] as const;

/** Makes the open rows equal those of revision `from`; `revision` is the proposal's. */
const restore = async (
  tx: Tx,
  at: { readonly deploymentId: number; readonly revision: number; readonly from: number },
): Promise<void> => {
  for (const { table, key, copied } of TABLES) {
    const name = sql.table(table);
    const same = sql.join(
      [
        sql`o.data = t.data`,
        ...key.map((column) => sql`o.${sql.id(column)} = t.${sql.id(column)}`),
      ],
      sql` and `,
    );
    const old = sql`t.deployment_id = ${at.deploymentId} and t.added_revision <= ${at.from} and (t.removed_revision is null or t.removed_revision > ${at.from})`;
    await sql`
      update ${name} o set removed_revision = ${at.revision}
      where o.deployment_id = ${at.deploymentId} and o.removed_revision is null
        and not exists (select from ${name} t where ${old} and ${same})`.execute(tx);
    const columns = sql.join(copied.map((column) => sql.id(column)));
    await sql`
      insert into ${name} (deployment_id, added_revision, ${columns})
      select t.deployment_id, ${at.revision}::int, ${sql.join(copied.map((column) => sql`t.${sql.id(column)}`))}
      from ${name} t where ${old}
        and not exists (select from ${name} o where o.deployment_id = ${at.deploymentId} and o.removed_revision is null and ${same})`.execute(
      tx,
    );
  }
  // what has gone since cannot be bound again: the plan would refuse it node by node
  await sql`
    delete from binding b using node n where n.id = b.node_id and n.deleted_at is not null
      and b.deployment_id = ${at.deploymentId} and b.added_revision = ${at.revision}`.execute(tx);
};

export const openProposal = async (
  tx: Tx,
  options: NewProposal,
  revision?: number,
): Promise<SnapshotRecord> => {
  const last = await tx
    .selectFrom('snapshot')
    .select((eb) => eb.fn.max('revision').as('revision'))
    .where('deployment_id', '=', options.deploymentId)
    .executeTakeFirst();
  const next = revision ?? (last?.revision ?? 0) + 1;
  const { id } = await tx
    .insertInto('snapshot')
    .values({
      deployment_id: options.deploymentId,
      revision: next,
      state: 'proposed',
      message: options.message ?? '',
      based_on: options.basedOn ?? null,
      created_by: options.actor,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (options.basedOn !== undefined)
    await restore(tx, {
      deploymentId: options.deploymentId,
      revision: next,
      from: options.basedOn,
    });
  await emit(tx, {
    kind: 'snapshot.proposed',
    deploymentId: options.deploymentId,
    payload: {
      snapshotId: id,
      revision: next,
      basedOn: options.basedOn ?? null,
      actor: options.actor,
    },
  });
  return readSnapshot(tx, id);
};

const checkBase = async (tx: Tx, options: NewProposal): Promise<void> => {
  if (options.basedOn === undefined) return;
  const base = await tx
    .selectFrom('snapshot')
    .select('state')
    .where('deployment_id', '=', options.deploymentId)
    .where('revision', '=', options.basedOn)
    .executeTakeFirst();
  if (base === undefined || base.state === 'proposed')
    throw new HostwrightError('not_found', {
      message: `there is no committed revision ${options.basedOn} to go back to`,
    });
};

export const proposeSnapshot = async (db: Db, options: NewProposal): Promise<SnapshotRecord> => {
  try {
    return await transaction(db, async (tx) => {
      await sql`select id from deployment where id = ${options.deploymentId} for update`.execute(
        tx,
      );
      const deployment = await readDeployment(tx, options.deploymentId);
      if (deployment.system)
        throw new HostwrightError('conflict', {
          message: 'the system deployment is never proposed: it bootstraps and discovers by itself',
        });
      await checkBase(tx, options);
      return openProposal(tx, options);
    });
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    const { rows } = await sql<{ id: number; revision: number; by: string }>`
      select id, revision, created_by as by from snapshot
      where deployment_id = ${options.deploymentId} and state = 'proposed'`.execute(db);
    throw new HostwrightError('conflict', {
      message: `there is a proposal already: revision ${rows[0]?.revision ?? '?'}, opened by ${rows[0]?.by ?? '?'}; edit that one or discard it`,
      public: { snapshotId: rows[0]?.id ?? null },
      cause: error,
    });
  }
};

/** An older revision, proposed again. */
export const rollbackDeployment = (
  db: Db,
  options: { readonly deploymentId: number; readonly toRevision: number; readonly actor: string },
): Promise<SnapshotRecord> =>
  proposeSnapshot(db, {
    deploymentId: options.deploymentId,
    basedOn: options.toRevision,
    actor: options.actor,
    message: `back to revision ${options.toRevision}`,
  });
