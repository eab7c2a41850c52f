/**
 * Kills server, workers and PostgreSQL with SIGKILL at random while simulated machines converge,
 * then reads every invariant from the event log. `npm run test:chaos` does it at full length
 * (500 machines); within `npm test` it is short. HOSTWRIGHT_CHAOS_SEED repeats a run's choices.
 */
import {
  bindRoles,
  commitSnapshot,
  createDeployment,
  proposeSnapshot,
  retryNoderoles,
  sequenceEvents,
} from '@hostwright/engine';
import { startFleet } from '@hostwright/simulator';
import { eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { checkInvariants } from './replay-events.ts';
import { openSite, VICTIMS, type Site } from './site.ts';

const FULL = process.env['HOSTWRIGHT_SUITE'] === 'chaos';
const MACHINES = FULL ? 500 : 40;
const KILLS = FULL ? 40 : 6;
const ROLES = ['demo-web', 'demo-flaky'];
const LIMIT_SECONDS = FULL ? 1500 : 240;
const seed = Number(process.env['HOSTWRIGHT_CHAOS_SEED'] ?? Date.now() % 1_000_000);

/** A small generator, so that a run can be repeated from its seed. */
const dice = (state: number) => () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};

/** The database goes away in this test: a question it could not answer is asked again. */
const ask = <Value>(question: () => Promise<Value>): Promise<NonNullable<Exclude<Value, false>>> =>
  eventually(question, { limitSeconds: LIMIT_SECONDS });

const bindAll = async (site: Site): Promise<void> => {
  const { db } = site.database;
  const nodes = await db.selectFrom('node').select(['name']).where('admin', '=', false).execute();
  const deployment = await createDeployment(db, { name: 'chaos', actor: 'chaos' });
  const snapshot = await proposeSnapshot(db, { deploymentId: deployment.id, actor: 'chaos' });
  const bindings = nodes.flatMap((node) => ROLES.map((role) => ({ role, node: node.name })));
  const answer = await bindRoles(db, { snapshotId: snapshot.id, bindings, actor: 'chaos' });
  expect(answer.refusals).toEqual([]);
  await commitSnapshot(db, { snapshotId: snapshot.id, actor: 'chaos' });
};

const readStates = async (site: Site): Promise<Readonly<Record<string, number>>> => {
  const { rows } = await sql<{
    state: string;
    n: number;
  }>`select state, count(*)::int as n from noderole group by state`.execute(site.database.db);
  return Object.fromEntries(rows.map((row) => [row.state, row.n]));
};

const atRest = async (site: Site): Promise<boolean> => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from noderole n join node on node.id = n.node_id and not node.admin
    where n.state in ('todo', 'transition')
       or n.state = 'blocked' and not exists (select 1 from noderole b where b.id = n.blocked_by and b.state = 'error')`.execute(
    site.database.db,
  );
  return rows[0]?.n === 0;
};

test(
  `after ${KILLS} kills among ${MACHINES} machines every invariant holds and all is at rest`,
  async () => {
    const site = await openSite();
    const roll = dice(seed);
    const told: string[] = [`seed ${seed}`];
    const fleet = startFleet({
      url: site.url,
      ca: site.ca(),
      joinToken: site.joinToken,
      nodes: MACHINES,
      seed,
      failureRate: 0.02,
      secondsPerTask: 0.2,
    });
    try {
      await eventually(() => fleet.tally.joins >= MACHINES, {
        limitSeconds: 120,
        what: 'joined machines',
      });
      await bindAll(site);
      for (let done = 0; done < KILLS; done++) {
        const victim = VICTIMS[Math.floor(roll() * VICTIMS.length)] ?? 'postgres';
        await new Promise((resolve) => setTimeout(resolve, 200 + roll() * 1500));
        told.push(
          `${victim} killed at ${JSON.stringify(await readStates(site).catch(() => 'no database'))}`,
        );
        await site.kill(victim);
      }
      await ask(async () => site.deaths().length > 0 || (await atRest(site)));
      expect(site.deaths()).toEqual([]);
      const broken = await site.database.db
        .selectFrom('noderole')
        .select('id')
        .where('state', '=', 'error')
        .execute();
      if (broken.length > 0) {
        await retryNoderoles(site.database.db, {
          noderoleIds: broken.map((row) => row.id),
          actor: 'chaos',
        });
        await ask(() => atRest(site));
      }
      await sequenceEvents(site.database.db);
      const verdict = await checkInvariants(site.database);
      expect(verdict.violations, told.join('\n')).toEqual([]);
      const states = await readStates(site);
      expect(states['transition'] ?? 0).toBe(0);
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from run where status in ('queued', 'running', 'waiting', 'cancelling')`.execute(
        site.database.db,
      );
      expect(rows[0]?.n).toBe(0);
      expect(verdict.runs).toBeGreaterThanOrEqual(MACHINES * ROLES.length);
    } catch (error) {
      throw new Error(`${told.join('\n')}\n${site.logs().split('\n').slice(-12).join('\n')}`, {
        cause: error,
      });
    } finally {
      await fleet.stop();
      await site.close();
    }
  },
  (LIMIT_SECONDS + 120) * 1000,
);
