import { inputsHold } from '@hostwright/core';
import { resolveInputs } from '@hostwright/engine';
import { sql } from 'kysely';
import { test } from 'vitest';
import { livesOf, type World } from './model.ts';

const startedEarly = async ({ db, held }: World) =>
  (
    await sql`
    select w.id as child, p.id as parent, p.state from noderole w join edge e on e.child_id = w.id and not e.soft join noderole p on p.id = e.parent_id
    where w.run_id = any(${held.slice(-4).map((entry) => entry.run.runId)}::bigint[]) and w.state = 'transition' and p.state <> 'active'`.execute(
      db,
    )
  ).rows;

/** Active on inputs that no longer hold, and neither drifted nor degraded. */
const stale = async ({ db }: World): Promise<readonly unknown[]> => {
  const { rows } = await sql<{ id: number; input_hash: string | null }>`
    select id, input_hash from noderole where state = 'active' and not drifted and degraded_by is null`.execute(
    db,
  );
  const inputs = await resolveInputs(
    db,
    rows.map((row) => row.id),
  );
  return rows.filter(
    (row) =>
      row.input_hash !== null && !inputsHold(row.input_hash, inputs.get(row.id)?.inputHash ?? ''),
  );
};

const unmarked = async ({ db }: World) =>
  (
    await sql`
    select c.id, c.state from noderole c join edge e on e.child_id = c.id and not e.soft join noderole p on p.id = e.parent_id
    where p.state = 'error' and ((c.state = 'active' and c.degraded_by is null) or (c.state = 'blocked' and c.blocked_by is null))`.execute(
      db,
    )
  ).rows;

test('invariant 2: a run starts only under active parents; active holds its inputs or says why not', async () => {
  await livesOf({
    lives: 4,
    length: 40,
    check: async (world, step) => [
      ...(step.kind === 'claim' ? await startedEarly(world) : []),
      ...(await stale(world)),
      ...(await unmarked(world)),
    ],
  });
});
