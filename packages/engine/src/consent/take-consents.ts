/**
 * A destructive run starts only on a consent for exactly these inputs, and uses it up in the
 * transaction that starts it. Without one the noderole is held until somebody consents.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { addHold } from '../run/hold-back.ts';
import type { Pick } from '../run/pick-work.ts';

interface Candidates {
  readonly picks: readonly Pick[];
  readonly inputs: ReadonlyMap<number, { readonly inputHash: string }>;
}

export const takeConsents = async (
  tx: Tx,
  { picks, inputs }: Candidates,
): Promise<readonly Pick[]> => {
  const destructive = picks.filter((pick) => pick.destructive && pick.kind !== 'teardown');
  if (destructive.length === 0) return picks;
  // -1 until the run has its id; see bindConsents
  const { rows } = await sql<{ noderole_id: number }>`
    update consent c set used_by_run = -1, used_at = now()
    from unnest(${destructive.map((pick) => pick.noderoleId)}::bigint[],
                ${destructive.map((pick) => inputs.get(pick.noderoleId)?.inputHash ?? '')}::text[]) as p(noderole_id, input_hash)
    where c.noderole_id = p.noderole_id and c.input_hash = p.input_hash and c.used_by_run is null
    returning c.noderole_id`.execute(tx);
  const allowed = new Set(rows.map((row) => row.noderole_id));
  const refused = destructive.filter((pick) => !allowed.has(pick.noderoleId));
  await addHold(tx, { noderoleIds: refused.map((pick) => pick.noderoleId), hold: 'consent' });
  return picks.filter(
    (pick) => !pick.destructive || pick.kind === 'teardown' || allowed.has(pick.noderoleId),
  );
};

/** Writes which run used the consents taken in this transaction. */
export const bindConsents = async (
  tx: Tx,
  runs: readonly { readonly noderole_id: number; readonly id: number }[],
): Promise<void> => {
  await sql`
    update consent c set used_by_run = r.run_id
    from unnest(${runs.map((run) => run.noderole_id)}::bigint[], ${runs.map((run) => run.id)}::bigint[]) as r(noderole_id, run_id)
    where c.noderole_id = r.noderole_id and c.used_by_run = -1`.execute(tx);
  // taken, but its lane was not free after all
  await sql`update consent set used_by_run = null, used_at = null where used_by_run = -1`.execute(
    tx,
  );
};
