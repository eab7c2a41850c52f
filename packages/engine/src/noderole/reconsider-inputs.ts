/** Stands in until the attributes' own is there. */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { resolveInputs } from '../run/resolve-inputs.ts';
import { requestRuns } from './request-runs.ts';

export const reconsiderInputs = async (
  tx: Tx,
  options: { readonly noderoleIds: readonly number[]; readonly cause: string },
): Promise<void> => {
  const inputs = await resolveInputs(tx, options.noderoleIds);
  const { rows } = await sql<{ id: number; state: string; input_hash: string | null }>`
    select id, state, input_hash from noderole where id = any(${[...options.noderoleIds]}::bigint[])`.execute(
    tx,
  );
  const moved = rows.filter(
    (row) => row.state === 'transition' || inputs.get(row.id)?.inputHash !== row.input_hash,
  );
  await requestRuns(tx, { noderoleIds: moved.map((row) => row.id), cause: options.cause });
};
