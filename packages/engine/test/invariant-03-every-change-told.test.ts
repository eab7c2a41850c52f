import { sql } from 'kysely';
import { test } from 'vitest';
import { livesOf, type World } from './model.ts';

interface Told {
  readonly subject: string;
  readonly from: string | null;
  readonly to: string;
}

/** The events of each noderole and run form an unbroken chain that ends in what the table says. */
const broken = async ({ db }: World): Promise<readonly string[]> => {
  const { rows } = await sql<Told>`
    select case when kind = 'run.status' then 'run ' || run_id else 'noderole ' || noderole_id end as subject,
      payload ->> 'from' as from, payload ->> 'to' as to
    from event_record where kind in ('run.status', 'noderole.state') order by id`.execute(db);
  const last = new Map<string, string>();
  const wrong: string[] = [];
  for (const event of rows) {
    const before = last.get(event.subject) ?? null;
    if (before !== event.from)
      wrong.push(`${event.subject}: told to leave ${event.from}, was in ${before}`);
    last.set(event.subject, event.to);
  }
  const { rows: now } = await sql<{ subject: string; state: string }>`
    select 'noderole ' || id as subject, state from noderole union all select 'run ' || id, status from run`.execute(
    db,
  );
  for (const row of now)
    if (last.get(row.subject) !== row.state)
      wrong.push(`${row.subject} is in ${row.state}, told ${last.get(row.subject)}`);
  return wrong;
};

test('invariant 3: no state changes without its event in the same transaction', async () => {
  await livesOf({ lives: 4, length: 40, check: broken });
});
