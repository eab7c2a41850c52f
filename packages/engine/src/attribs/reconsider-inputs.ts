/**
 * Data that noderoles read has changed: those whose declared inputs really differ from what they
 * last ran with are asked to run again; destructive ones are marked drifted, never run; one under
 * way is looked at again when it ends. Consumers of what these provide are looked at too.
 */
import { inputsHold } from '@hostwright/core';
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { requestRuns } from '../noderole/request-runs.ts';
import { resolveInputs } from './resolve-inputs.ts';

export interface Reconsidered {
  readonly rerun: readonly number[];
  readonly drifted: readonly number[];
}

interface Row {
  readonly id: number;
  readonly state: string;
  readonly input_hash: string | null;
  readonly destructive: boolean;
  readonly drifted: boolean;
}

/** Batches, so that a change for a hundred thousand noderoles does not hold their attributes at once. */
const BATCH = 5000;

const reconsiderSome = async (
  tx: Tx,
  ids: readonly number[],
  cause: string,
): Promise<Reconsidered> => {
  // A claim holds the noderole from before it reads the inputs until its run is there. Without this
  // lock one that is being claimed with the old inputs would be seen as still to run, and passed over.
  await sql`select from noderole where id = any(${[...ids]}::bigint[]) order by id for update`.execute(
    tx,
  );
  const { rows } = await sql<Row>`
    select w.id, w.state, w.input_hash, r.destructive, w.drifted from noderole w join role r on r.id = w.role_id
    where w.id = any(${[...ids]}::bigint[]) and not w.removing
      and (w.state = 'transition' or (w.state = 'active' and w.input_hash is not null)) order by w.id`.execute(
    tx,
  );
  const inputs = await resolveInputs(
    tx,
    rows.map((row) => row.id),
  );
  const holds = (row: Row) => inputsHold(row.input_hash ?? '', inputs.get(row.id)?.inputHash ?? '');
  const moved = rows.filter((row) => row.state === 'transition' || !holds(row));
  // changed back to what it was made from
  const settled = rows.filter((row) => row.state === 'active' && row.drifted && holds(row));
  if (settled.length > 0)
    await sql`
      update noderole set drifted = false, drift_reason = null, revision = revision + 1
      where id = any(${settled.map((row) => row.id)}::bigint[])`.execute(tx);
  const { requested, drifted } = await requestRuns(tx, {
    noderoleIds: moved.map((row) => row.id),
    cause,
  });
  return { rerun: requested, drifted };
};

export const reconsiderInputs = async (
  tx: Tx,
  options: { readonly noderoleIds: readonly number[]; readonly cause: string },
): Promise<Reconsidered> => {
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${[...options.noderoleIds]}::bigint[]) as given(id)
    union select consumer_id from attrib_link where provider_id = any(${[...options.noderoleIds]}::bigint[])
    order by 1`.execute(tx);
  const rerun: number[] = [];
  const drifted: number[] = [];
  for (let at = 0; at < rows.length; at += BATCH) {
    const some = await reconsiderSome(
      tx,
      rows.slice(at, at + BATCH).map((row) => row.id),
      options.cause,
    );
    rerun.push(...some.rerun);
    drifted.push(...some.drifted);
  }
  return { rerun, drifted };
};
