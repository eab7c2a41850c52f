/**
 * Operator's data of the system deployment. It is never proposed: this writes and commits a revision
 * of its own at once. It must never go through a plan, which would see that nobody bound the system's
 * noderoles and take them down.
 */
import { HostwrightError, type JsonObject } from '@hostwright/core';
import { sql } from 'kysely';
import { reconsiderInputs } from '../attribs/reconsider-inputs.ts';
import type { Ref } from '../binding/resolve-refs.ts';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { readDeployment } from '../deployment/create.ts';
import { lockTree } from '../deployment/lock-tree.ts';
import { emit } from '../event/emit.ts';
import { readCatalogue } from '../role/read-catalogue.ts';
import { findAffected } from './find-affected.ts';
import { readSnapshot, type SnapshotRecord } from './read.ts';
import { dataFits, needRole, putDeploymentData, putRoleData } from './write-data.ts';

export interface SystemData {
  readonly deploymentId: number;
  /** Data of this role for all nodes that the system deployment binds it to; else its own. */
  readonly role?: Ref | undefined;
  readonly data: JsonObject;
  readonly actor: string;
}

export interface SystemDataSet {
  /** The revision in force now; null while nothing was ever set. */
  readonly revision: number | null;
  readonly changed: boolean;
  /** Noderoles, here and below, that run again; destructive ones are drifted instead. */
  readonly rerun: number;
  readonly drifted: number;
}

const openRevision = async (tx: Tx, options: SystemData, last: number): Promise<SnapshotRecord> => {
  const { id } = await tx
    .insertInto('snapshot')
    .values({
      deployment_id: options.deploymentId,
      revision: last + 1,
      state: 'proposed',
      created_by: options.actor,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return readSnapshot(tx, id);
};

const write = async (tx: Tx, options: SystemData, snapshot: SnapshotRecord): Promise<boolean> => {
  if (options.role === undefined) return putDeploymentData(tx, snapshot, options.data);
  const catalogue = await readCatalogue(tx);
  const role = needRole(catalogue, options.role);
  dataFits(catalogue, role, options.data);
  return putRoleData(tx, snapshot, { role, data: options.data });
};

const putInForce = async (tx: Tx, snapshot: SnapshotRecord, actor: string): Promise<void> => {
  await sql`
    update snapshot set state = 'superseded' where deployment_id = ${snapshot.deploymentId} and state = 'committed'`.execute(
    tx,
  );
  await sql`
    update snapshot set state = 'committed', committed_by = ${actor}, committed_at = now(), finished_at = now()
    where id = ${snapshot.id}`.execute(tx);
};

export const setSystemData = async (db: Db, options: SystemData): Promise<SystemDataSet> =>
  transaction(db, async (tx) => {
    await lockTree(tx, 'alone');
    const deployment = await readDeployment(tx, options.deploymentId);
    if (!deployment.system)
      throw new HostwrightError('conflict', {
        message: `${deployment.name} is changed by a proposal and a commit; only the system deployment's data is set directly`,
      });
    const { rows } = await sql<{ revision: number | null }>`
      select max(revision) as revision from snapshot where deployment_id = ${deployment.id}`.execute(
      tx,
    );
    const last = rows[0]?.revision ?? null;
    const snapshot = await openRevision(tx, options, last ?? 0);
    if (!(await write(tx, options, snapshot))) {
      await tx.deleteFrom('snapshot').where('id', '=', snapshot.id).execute();
      return { revision: last, changed: false, rerun: 0, drifted: 0 };
    }
    await putInForce(tx, snapshot, options.actor);
    const affected = await findAffected(tx, {
      catalogue: await readCatalogue(tx),
      snapshot,
      ownData: [],
    });
    const { rerun, drifted } = await reconsiderInputs(tx, {
      noderoleIds: affected,
      cause: `data of ${deployment.name}, revision ${snapshot.revision}`,
    });
    await emit(tx, {
      kind: 'snapshot.committed',
      deploymentId: deployment.id,
      payload: {
        snapshotId: snapshot.id,
        revision: snapshot.revision,
        actor: options.actor,
        added: 0,
        changed: affected.length,
        rerun: rerun.length,
        removed: 0,
      },
    });
    return {
      revision: snapshot.revision,
      changed: true,
      rerun: rerun.length,
      drifted: drifted.length,
    };
  });
