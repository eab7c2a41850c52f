/**
 * A destructive role changes the very facts it was made from: an installed machine reports other disks
 * than the empty one. That is no drift, or every installed node would be drifted from its first report
 * on. So facts become part of what an active destructive noderole was made from; before its run they
 * still make a consent void. One that is drifted for another reason stays so.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { resolveInputs } from './resolve-inputs.ts';

/** Gives back those that are left to be reconsidered. */
export const absorbFacts = async (
  tx: Tx,
  noderoleIds: readonly number[],
): Promise<readonly number[]> => {
  const { rows } = await sql<{ id: number }>`
    select w.id from noderole w join role r on r.id = w.role_id
    where w.id = any(${[...noderoleIds]}::bigint[]) and r.destructive and w.state = 'active' and not w.removing
    order by w.id for no key update of w`.execute(tx);
  if (rows.length === 0) return noderoleIds;
  const ids = rows.map((row) => row.id);
  const inputs = await resolveInputs(tx, ids);
  await sql`
    update noderole w set input_hash = i.hash
    from unnest(${ids}::bigint[], ${ids.map((id) => inputs.get(id)?.inputHash ?? '')}::text[]) as i(id, hash)
    where w.id = i.id and w.input_hash is not null and not w.drifted`.execute(tx);
  const absorbed = new Set(ids);
  return noderoleIds.filter((id) => !absorbed.has(id));
};
