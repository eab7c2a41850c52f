/**
 * Somebody asks for failed work to be tried again: one noderole, all of a role (in one deployment, if
 * it is named too), all of a deployment.
 * Asking for many never re-runs a destructive noderole; asking for that one puts it in todo, where it
 * waits for a consent.
 */
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { retryTeardowns } from './advance-removals.ts';
import { requestRuns } from './request-runs.ts';

export type RetryScope =
  | { readonly noderoleIds: readonly number[] }
  | { readonly roleId: number; readonly deploymentId?: number | undefined }
  | { readonly deploymentId: number };

export interface Retried {
  readonly retried: readonly number[];
  readonly skipped: readonly { readonly noderoleId: number; readonly reason: string }[];
}

interface Candidate {
  readonly id: number;
  readonly state: string;
  readonly destructive: boolean;
  readonly removing: boolean;
}

const candidates = async (tx: Tx, scope: RetryScope): Promise<readonly Candidate[]> => {
  const where =
    'noderoleIds' in scope
      ? sql`w.id = any(${[...scope.noderoleIds]}::bigint[])`
      : 'roleId' in scope
        ? sql`w.role_id = ${scope.roleId} and w.state = 'error'
            and w.deployment_id = coalesce(${scope.deploymentId ?? null}::bigint, w.deployment_id)`
        : sql`w.deployment_id = ${scope.deploymentId} and w.state = 'error'`;
  const { rows } = await sql<Candidate>`
    select w.id, w.state, r.destructive, w.removing from noderole w join role r on r.id = w.role_id where ${where} order by w.id`.execute(
    tx,
  );
  return rows;
};

export const retryNoderoles = async (
  db: Db,
  options: RetryScope & { readonly actor: string },
): Promise<Retried> =>
  transaction(db, async (tx) => {
    const found = await candidates(tx, options);
    const single = 'noderoleIds' in options && options.noderoleIds.length === 1;
    const skipped: { noderoleId: number; reason: string }[] = [];
    const going: Candidate[] = [];
    for (const row of found) {
      if (row.state !== 'error' && row.state !== 'active')
        skipped.push({
          noderoleId: row.id,
          reason: `it is in ${row.state}; only error and active can be run again`,
        });
      else if (row.removing && row.state !== 'error')
        skipped.push({
          noderoleId: row.id,
          reason: 'it is being removed: its teardown is to come',
        });
      else if (row.destructive && !single)
        skipped.push({
          noderoleId: row.id,
          reason: 'it is destructive: retry it by itself, with a consent',
        });
      else going.push(row);
    }
    if ('noderoleIds' in options) {
      const known = new Set(found.map((row) => row.id));
      for (const id of options.noderoleIds)
        if (!known.has(id)) skipped.push({ noderoleId: id, reason: 'there is no such noderole' });
    }
    const teardowns = await retryTeardowns(
      tx,
      going.filter((row) => row.removing).map((row) => row.id),
    );
    const { requested } = await requestRuns(tx, {
      noderoleIds: going.filter((row) => !row.removing).map((row) => row.id),
      cause: `retry by ${options.actor}`,
      actor: options.actor,
      destructiveToo: going.filter((row) => row.destructive).map((row) => row.id),
    });
    return { retried: [...teardowns, ...requested], skipped };
  });
