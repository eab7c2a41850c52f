import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';

export interface ChainLink {
  readonly id: number;
  readonly name: string;
  readonly system: boolean;
  readonly parentId: number | null;
}

/** From the deployment up to the system deployment. */
export const readChain = async (db: Db | Tx, deploymentId: number): Promise<ChainLink[]> => {
  const { rows } = await sql<ChainLink>`
    with recursive up as (
      select id, name, system, parent_id, 0 as far from deployment where id = ${deploymentId}
      union all
      select d.id, d.name, d.system, d.parent_id, up.far + 1 from deployment d join up on d.id = up.parent_id
    )
    select id, name, system, parent_id as "parentId" from up order by far`.execute(db);
  if (rows.length === 0)
    throw new HostwrightError('not_found', { message: `there is no deployment ${deploymentId}` });
  return rows;
};

/** Ids of all deployments below this one. */
export const readBelow = async (db: Db | Tx, deploymentId: number): Promise<Set<number>> => {
  const { rows } = await sql<{ id: number }>`
    with recursive down as (
      select id from deployment where parent_id = ${deploymentId}
      union all
      select d.id from deployment d join down on d.parent_id = down.id
    )
    select id from down`.execute(db);
  return new Set(rows.map((row) => row.id));
};
