/**
 * Somebody saw what a run waits for, or will wait for: evidence that comes first is kept for the run
 * until it asks. By node, it goes to each live run there; with none it is nobody's, and says so.
 */
import type { JsonObject } from '@hostwright/core';
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';

export type NewEvidence = { readonly key: string; readonly payload?: JsonObject } & (
  | { readonly runId: number }
  | { readonly nodeId: number }
);

/** The runs it was recorded for. */
export const recordEvidence = async (tx: Tx, evidence: NewEvidence): Promise<readonly number[]> => {
  const which =
    'runId' in evidence ? sql`r.id = ${evidence.runId}` : sql`r.node_id = ${evidence.nodeId}`;
  const { rows } = await sql<{ run_id: number }>`
    insert into evidence (run_id, key, payload)
    select r.id, ${evidence.key}::text, ${JSON.stringify(evidence.payload ?? {})}::jsonb from run r
    where ${which} and r.status in ('running', 'waiting', 'cancelling')
    returning run_id`.execute(tx);
  for (const row of rows)
    await sql`select pg_notify('hostwright_evidence', ${String(row.run_id)})`.execute(tx);
  return rows.map((row) => row.run_id);
};
