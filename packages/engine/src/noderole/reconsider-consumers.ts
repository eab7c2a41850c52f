/** An output changed: those that consume it and are, or are about to be, at rest on the old one look at their inputs again. */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { reconsiderInputs } from '../attribs/reconsider-inputs.ts';

export const reconsiderConsumers = async (tx: Tx, providers: readonly number[]): Promise<void> => {
  const { rows } = await sql<{ id: number }>`
    select distinct w.id from attrib_link l join noderole w on w.id = l.consumer_id
    where l.provider_id = any(${[...providers]}::bigint[]) and w.state in ('active', 'transition')`.execute(
    tx,
  );
  if (rows.length > 0)
    await reconsiderInputs(tx, {
      noderoleIds: rows.map((row) => row.id),
      cause: 'an input from another noderole changed',
    });
};
