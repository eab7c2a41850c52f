import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import { checkDeploymentName } from './check-name.ts';
import { nameTaken, readDeployment, type DeploymentRecord } from './create.ts';
import { lockTree } from './lock-tree.ts';
import { readChain } from './read-chain.ts';

export interface DeploymentChange {
  readonly deploymentId: number;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly parentId?: number | undefined;
  /** The revision the caller has read; refused if it has moved. */
  readonly revision?: number | undefined;
  readonly actor: string;
}

const refuse = (message: string, path: string): HostwrightError =>
  new HostwrightError('refused', { message, refusals: [{ code: 'refused', path, message }] });

export const updateDeployment = async (
  db: Db,
  options: DeploymentChange,
): Promise<DeploymentRecord> => {
  if (options.name !== undefined) checkDeploymentName(options.name);
  try {
    return await transaction(db, async (tx) => {
      await lockTree(tx, options.parentId === undefined ? 'shared' : 'alone');
      await sql`select id from deployment where id = ${options.deploymentId} for update`.execute(
        tx,
      );
      const before = await readDeployment(tx, options.deploymentId);
      if (options.revision !== undefined && options.revision !== before.revision)
        throw new HostwrightError('precondition_failed');
      if (before.system && (options.name !== undefined || options.parentId !== undefined))
        throw refuse('the system deployment keeps its name and its place', 'name');
      if (options.parentId !== undefined && options.parentId !== before.parentId) {
        const chain = await readChain(tx, options.parentId);
        if (chain.some((link) => link.id === before.id))
          throw refuse(
            `${before.name} cannot go under ${chain[0]?.name ?? ''}, which is part of it`,
            'parent',
          );
        const standing = await tx
          .selectFrom('noderole')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('deployment_id', '=', before.id)
          .executeTakeFirstOrThrow();
        if (standing.count > 0)
          throw refuse(
            `${before.name} has ${standing.count} noderoles, whose parents are found up the tree: unbind them before it moves`,
            'parent',
          );
      }
      await tx
        .updateTable('deployment')
        .set({
          name: options.name ?? before.name,
          description: options.description ?? before.description,
          parent_id: options.parentId ?? before.parentId,
          revision: before.revision + 1,
          updated_at: new Date(),
        })
        .where('id', '=', before.id)
        .execute();
      await emit(tx, {
        kind: 'deployment.changed',
        deploymentId: before.id,
        payload: { name: options.name ?? before.name, actor: options.actor },
      });
      return readDeployment(tx, before.id);
    });
  } catch (error) {
    throw nameTaken(error, options.name ?? '');
  }
};
