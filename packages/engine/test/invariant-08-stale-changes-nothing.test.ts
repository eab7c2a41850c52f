import { completeRuns, transaction } from '@hostwright/engine';
import { sql } from 'kysely';
import { test } from 'vitest';
import { livesOf, type World } from './model.ts';

const everything = async ({ db }: World): Promise<string> => {
  const { rows } = await sql<{ all: string }>`
    select md5(coalesce((select string_agg(w::text, '|' order by w.id) from noderole w), '') || coalesce((select string_agg(r::text, '|' order by r.id) from run r), '')
      || (select count(*) from event) || (select count(*) from run_log)) as all`.execute(db);
  return rows[0]?.all ?? '';
};

/** Every report that anybody could still send of an earlier token or an ended run. */
const replay = async (world: World): Promise<readonly string[]> => {
  const current = await sql<{
    id: number;
    token: number;
  }>`select id, token from run where status in ('running', 'waiting', 'cancelling')`.execute(
    world.db,
  );
  const tokens = new Map(current.rows.map((row) => [row.id, row.token]));
  const before = await everything(world);
  for (const run of world.past) {
    const token = tokens.get(run.runId) === run.token ? run.token - 1 : run.token;
    await transaction(world.db, (tx) =>
      completeRuns(tx, [
        {
          runId: run.runId,
          token,
          outcome: { kind: 'succeeded', wall: { stale: true } },
          log: [{ at: 0, stream: 'out', text: 'late' }],
        },
      ]),
    );
  }
  return before === (await everything(world)) ? [] : ['a stale report changed something'];
};

test('invariant 8: reports with a stale token, or of runs that have ended, never change anything', async () => {
  await livesOf({
    lives: 4,
    length: 40,
    check: (world, step) => (step.which % 8 === 0 ? replay(world) : Promise.resolve([])),
    atEnd: replay,
  });
});
