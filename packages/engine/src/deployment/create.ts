import { HostwrightError } from '@hostwright/core';
import type { Db, Tx } from '../db/open.ts';
import { sqlState, transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import { checkDeploymentName } from './check-name.ts';
import { lockTree } from './lock-tree.ts';

export interface DeploymentRecord {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly parentId: number | null;
  readonly system: boolean;
  readonly paused: boolean;
  readonly revision: number;
}

export interface NewDeployment {
  readonly name: string;
  readonly description?: string | undefined;
  /** Default: the system deployment. */
  readonly parentId?: number | undefined;
  readonly actor: string;
}

export const readDeployment = async (db: Db | Tx, id: number): Promise<DeploymentRecord> => {
  const row = await db
    .selectFrom('deployment')
    .select(['id', 'name', 'description', 'parent_id as parentId', 'system', 'paused', 'revision'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined)
    throw new HostwrightError('not_found', { message: `there is no deployment ${id}` });
  return row;
};

export const nameTaken = (error: unknown, name: string): unknown =>
  sqlState(error) === '23505'
    ? new HostwrightError('name_taken', {
        message: `there is already a deployment ${name}`,
        refusals: [
          { code: 'name_taken', path: 'name', message: `there is already a deployment ${name}` },
        ],
        cause: error,
      })
    : error;

export const createDeployment = async (
  db: Db,
  options: NewDeployment,
): Promise<DeploymentRecord> => {
  checkDeploymentName(options.name);
  try {
    return await transaction(db, async (tx) => {
      await lockTree(tx, 'shared');
      const parent =
        options.parentId === undefined
          ? await tx
              .selectFrom('deployment')
              .select('id')
              .where('system', '=', true)
              .executeTakeFirstOrThrow()
          : await readDeployment(tx, options.parentId);
      const { id } = await tx
        .insertInto('deployment')
        .values({
          name: options.name,
          description: options.description ?? '',
          parent_id: parent.id,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await emit(tx, {
        kind: 'deployment.created',
        deploymentId: id,
        payload: { name: options.name, parentId: parent.id, actor: options.actor },
      });
      return readDeployment(tx, id);
    });
  } catch (error) {
    throw nameTaken(error, options.name);
  }
};
