import type { JsonObject } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';

export interface WorkerView {
  readonly id: number;
  readonly name: string;
  readonly startedAt: Date;
  readonly leaseUntil: Date;
  readonly alive: boolean;
  readonly draining: boolean;
  readonly concurrency: number;
  readonly status: JsonObject;
}

/** Those that are alive, and those that died within the last hour. */
export const listWorkers = async (db: Db | Tx): Promise<WorkerView[]> => {
  const { rows } = await sql<WorkerView>`
    select id, name, started_at as "startedAt", lease_until as "leaseUntil", lease_until > now() as alive,
      draining, concurrency, status
    from worker where lease_until > now() - interval '1 hour' order by id`.execute(db);
  return rows;
};
