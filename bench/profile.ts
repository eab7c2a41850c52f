/**
 * `node bench/profile.ts [--nodes 1000] [--statements]`: what one noderole costs, in microseconds of
 * processor time and not of the clock, so that it can be measured on a machine that others use too.
 * The throughput bar says whether the engine is fast enough; this says where the time goes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { SILENT, startWorker } from '@hostwright/engine';
import { noopJig } from '@hostwright/jigs';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { openBench } from './context.ts';
import { seedFleet, untilActive } from './fleet.ts';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1000' },
    statements: { type: 'boolean', default: false },
  },
});
const ROLES = 20;
const nodes = Number(values.nodes);
const count = nodes * ROLES;

/** Processor time of each child of the PostgreSQL server, in microseconds, with what it calls itself. */
const readProcesses = (server: number): Map<number, { title: string; us: number }> => {
  const found = new Map<number, { title: string; us: number }>();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      if (parent !== server) continue;
      const ns = Number(readFileSync(`/proc/${entry}/schedstat`, 'utf8').split(' ')[0]);
      const title = readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      found.set(Number(entry), { title, us: ns / 1000 });
    } catch {
      // it ended meanwhile
    }
  }
  return found;
};

const JOBS = 10_000;
const BATCH = 200;

/** The same of a job of bare pg-boss, as the throughput bar does it: what it takes on this machine now. */
const profileBoss = async (): Promise<void> => {
  const bare = await context.bareDatabase();
  const boss = new PgBoss({ connectionString: bare.url, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue('profile');
  const before = readProcesses(context.pid);
  const own = process.cpuUsage();
  for (let done = 0; done < JOBS; done += BATCH) {
    await boss.insert(
      'profile',
      Array.from({ length: BATCH }, (_, index) => ({ data: { job: done + index } })),
    );
    const batch = await boss.fetch('profile', { batchSize: BATCH });
    await boss.complete(
      'profile',
      batch.map((job) => job.id),
    );
  }
  const node = process.cpuUsage(own);
  let total = 0;
  for (const [pid, { us }] of readProcesses(context.pid)) total += us - (before.get(pid)?.us ?? 0);
  context.say(
    `per job of pg-boss: PostgreSQL ${(total / JOBS).toFixed(1)} us, node ${((node.user + node.system) / JOBS).toFixed(1)} us`,
  );
  await boss.stop({ graceful: false });
  await bare.drop();
};

const context = await openBench(true, {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': values.statements ? 'all' : 'none',
});
try {
  await profileBoss();
  const database = await context.freshDatabase();
  await seedFleet(database.db, { nodes, roles: ROLES });
  const watch = new pg.Client({ connectionString: database.url });
  await watch.connect();
  if (values.statements) await watch.query('create extension pg_stat_statements');
  const { rows: written } = await watch.query('select pg_current_wal_lsn() as at');
  const before = readProcesses(context.pid);
  const own = process.cpuUsage();
  const worker = await startWorker({ database, jigs: [noopJig], log: SILENT, name: 'profile' });
  const seconds = await untilActive(database.db, count, () => worker.status().completed);
  const node = process.cpuUsage(own);
  const after = readProcesses(context.pid);
  const { rows: wal } = await watch.query('select pg_current_wal_lsn() - $1::pg_lsn as bytes', [
    written[0].at,
  ]);
  const spent = [...after].map(([pid, { title, us }]) => ({
    title: title.replace(/^postgres: /, '').replace(/127\.0\.0\.1.*/, ''),
    us: (us - (before.get(pid)?.us ?? 0)) / count,
  }));
  const total = spent.reduce((sum, { us }) => sum + us, 0);
  context.say(
    `${count} noderoles, ${Math.round(count / seconds)}/s; per noderole: PostgreSQL ${total.toFixed(1)} us, ` +
      `node ${((node.user + node.system) / count).toFixed(1)} us, WAL ${Math.round(wal[0].bytes / count)} bytes; ` +
      `settled on ${worker.status().concurrency}`,
  );
  for (const { title, us } of spent.filter((one) => one.us > 0.5).toSorted((a, b) => b.us - a.us))
    context.say(`  ${us.toFixed(1).padStart(7)} us  ${title}`);
  if (values.statements) {
    const { rows } = await watch.query(
      `select calls, rows, total_exec_time * 1000 / $1 as us, query, toplevel from pg_stat_statements
       where total_exec_time * 1000 / $1 > 0.4 order by total_exec_time desc`,
      [count],
    );
    for (const row of rows)
      context.say(
        `  ${row.us.toFixed(1).padStart(7)} us  ${String(row.calls).padStart(7)} calls ${String(row.rows).padStart(8)} rows ${row.toplevel ? ' ' : '>'} ${row.query.replaceAll(/\s+/g, ' ').slice(0, 150)}`,
      );
  }
  await watch.end();
  await worker.stop();
  await database.close();
  await profileBoss();
} finally {
  await context.close();
}
