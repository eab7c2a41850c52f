import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { hostwright, processesOf, startHostwright, type Started } from './hostwright.ts';

const base = mkdtempSync(join(tmpdir(), 'hostwright-up-'));
// PostgreSQL of root runs as another user and must be able to pass
chmodSync(base, 0o755);
let made = 0;
const folder = (): string => join(base, `data-${made++}`);
const running: Started[] = [];

afterAll(async () => {
  for (const up of running) up.kill('SIGKILL');
  await eventually(() => processesOf(base).length === 0);
  rmSync(base, { recursive: true, force: true });
});

const QUICK = ['--port=0', '--no-console-build', '--no-simulator'];

const startUp = async (args: readonly string[], env = {}): Promise<Started> => {
  const up = startHostwright(['up', '--json', ...args], env);
  running.push(up);
  void up.ended.then(() => running.splice(running.indexOf(up), 1));
  await Promise.race([
    eventually(() => up.out().includes('"url"'), { limitSeconds: 55, what: 'up to be ready' }),
    up.ended.then(({ err }) => Promise.reject(new Error(`up ended: ${err}`))),
  ]);
  return up;
};

const postmasterOf = (folder: string): number =>
  Number(readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

const oneSentence = (text: string): void => {
  expect(text.trim().split('\n')).toHaveLength(1);
  expect(text).toMatch(/^hostwright: /);
};

let data: string;
let up: Started;
beforeAll(async () => {
  data = folder();
  up = await startUp(['--simulate=2', '--port=0', '--no-console-build', '--data-dir', data]);
}, 120_000);

test('one command brings up database, server, worker, admin node and machines that do something', async () => {
  const local = ['--data-dir', data, '--json'];
  const status = await hostwright(['status', ...local]);
  expect(status.code, status.err).toBe(0);
  const seen = JSON.parse(status.out);
  expect(seen.system).toMatchObject({ nodes: 3, simulator: true });
  expect(seen.annealer.workers).toHaveLength(1);
  expect(seen.deployments.map((item: { name: string }) => item.name)).toEqual(['system', 'demo']);
  const watched = await hostwright(['watch', 'demo', '--data-dir', data, '--timeout=50']);
  // the demo holds a flaky role on purpose: done or in error, but at rest
  expect([0, 7], watched.err).toContain(watched.code);
  const admin = await eventually(async () => {
    const { out } = await hostwright(['node', 'list', '--alive', ...local]);
    return JSON.parse(out).items.find((node: { admin: boolean }) => node.admin);
  });
  expect(admin.deployment).toBe('system');
});

test('a database that is killed is started again, and everything goes on', async () => {
  const killed = postmasterOf(data);
  process.kill(killed, 'SIGKILL');
  await eventually(() => postmasterOf(data) !== killed, { what: 'another PostgreSQL' });
  await eventually(
    async () => (await hostwright(['node', 'list', '--data-dir', data, '--json'])).code === 0,
    { what: 'a server that answers again' },
  );
});

test('keys and tokens are readable by their owner only', () => {
  for (const name of ['master.key', 'tls/ca.pem', 'context.json', 'postgres.password'])
    expect(statSync(join(data, name)).mode & 0o077, name).toBe(0);
});

test('a second one on the same folder is told who has it', async () => {
  const second = await hostwright(['up', ...QUICK, '--data-dir', data]);
  expect(second.code).toBe(8);
  oneSentence(second.err);
  expect(second.err).toContain(`already runs on ${data}`);
});

test('a backup taken while it runs comes back in another folder', async () => {
  const file = join(base, 'while-running.backup');
  const taken = await hostwright(['backup', file, '--data-dir', data, '--json']);
  expect(taken.code, taken.err).toBe(0);
  expect(statSync(file).mode & 0o077).toBe(0);
  const again = await hostwright(['backup', file, '--data-dir', data]);
  expect(again.code).toBe(8);
  const other = folder();
  const back = await hostwright(['restore', file, '--data-dir', other, '--json']);
  expect(back.code, back.err).toBe(0);
  expect(readFileSync(join(other, 'master.key'))).toEqual(readFileSync(join(data, 'master.key')));
  const twice = await hostwright(['restore', file, '--data-dir', other]);
  expect(twice.code).toBe(8);
  oneSentence(twice.err);
});

test('Ctrl-C stops everything with exit code 0, and the next start finds all data', async () => {
  up.kill('SIGINT');
  // npm passes it on: the same Ctrl-C arrives twice
  up.kill('SIGINT');
  const ended = await up.ended;
  expect(ended.code, ended.err).toBe(0);
  expect(processesOf(data)).toEqual([]);
  expect(existsSync(join(data, 'up.lock'))).toBe(false);

  const second = await startUp([...QUICK, '--data-dir', data]);
  const list = await hostwright(['node', 'list', '--json', '--data-dir', data]);
  expect(JSON.parse(list.out).items).toHaveLength(3);
  second.kill('SIGKILL');
  await second.ended;
  await eventually(() => processesOf(data).length === 0, { what: 'no orphans after kill -9' });
}, 120_000);

test('a port in use is named, with how to choose another', async () => {
  const taken = createServer();
  await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
  const address = taken.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const refused = await hostwright(['up', `--port=${port}`, '--data-dir', folder()]);
  taken.close();
  expect(refused.code).toBe(8);
  oneSentence(refused.err);
  expect(refused.err).toContain(`port ${port}`);
  expect(refused.err).toContain('--port');
});

test('a folder that cannot be written to is one sentence', async () => {
  for (const place of ['/proc/hostwright', '/dev/null/x']) {
    const refused = await hostwright(['up', ...QUICK, '--data-dir', place]);
    expect(refused.code).toBe(8);
    oneSentence(refused.err);
    expect(refused.err).toContain(place);
  }
});

test('a database of a newer Hostwright is left alone', async () => {
  await using database = await createTestDatabase();
  await database.pool.query("insert into schema_migration (number, name) values (9999, 'future')");
  const refused = await hostwright(['up', ...QUICK, '--data-dir', folder()], {
    DATABASE_URL: database.url,
  });
  expect(refused.code).toBe(8);
  oneSentence(refused.err);
  expect(refused.err).toContain('newer Hostwright');
});

test('a database that does not let us in is one sentence', async () => {
  const url = inject('postgresUrl').replace(/:[^:@]*@/, ':wrong@');
  const refused = await hostwright(['up', ...QUICK, '--data-dir', folder()], { DATABASE_URL: url });
  expect(refused.code).toBe(8);
  oneSentence(refused.err);
});

test('DATABASE_URL uses that server and starts none', async () => {
  await using database = await createTestDatabase();
  const place = folder();
  const own = await startUp([...QUICK, '--data-dir', place], { DATABASE_URL: database.url });
  expect(existsSync(join(place, 'postgres'))).toBe(false);
  own.kill('SIGTERM');
  expect((await own.ended).code).toBe(0);
});
