/**
 * A commit was halted or recalled while these ran; they are to run again by themselves, and must not:
 * they wait with the rest of that commit. The caller has locked them.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';

export const holdHalted = async (tx: Tx, noderoleIds: readonly number[]): Promise<void> => {
  if (noderoleIds.length === 0) return;
  await sql`
    update noderole w set holds = array_append(w.holds, 'halted') from snapshot s
    where w.id = any(${[...noderoleIds]}::bigint[]) and w.state in ('todo', 'blocked') and not w.removing
      and s.id = w.snapshot_id and (s.halted_at is not null or s.state = 'recalled') and not 'halted' = any(w.holds)`.execute(
    tx,
  );
};
