import { mkdirSync, mkdtempSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordBootEvent } from '@hostwright/boot';
import { transaction } from '@hostwright/engine';
import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSite, type Site } from '../../simulator/test/site.ts';
import { startFleet, type Fleet } from '@hostwright/simulator';
import { createClient } from '@hostwright/api';
import { createNodeFetch } from '@hostwright/api/node-fetch';
import { findFirstFree } from '../src/find-first-free.ts';
import { hostwright, startHostwright, type Ended } from './hostwright.ts';

let site: Site;
let fleet: Fleet;
const folder = mkdtempSync(join(tmpdir(), 'hostwright-cli-'));
let env: Record<string, string>;

const ask = (...args: string[]): Promise<Ended> => hostwright(args, env);
const read = async (...args: string[]) => {
  const { code, out, err } = await ask(...args, '--json');
  expect(code, err).toBe(0);
  return JSON.parse(out);
};

beforeAll(async () => {
  site = await createSite();
  writeFileSync(join(folder, 'ca.pem'), site.ca);
  env = {
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    HOSTWRIGHT_URL: site.url,
    HOSTWRIGHT_TOKEN: site.apiToken,
    HOSTWRIGHT_CA: join(folder, 'ca.pem'),
  };
  fleet = startFleet({
    url: site.url,
    ca: site.ca,
    joinToken: site.joinToken,
    nodes: 7,
    prefix: 'box',
    secondsPerTask: 0.01,
  });
});
afterAll(async () => {
  await fleet.stop();
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a deployment from nothing to done, by commands alone', async () => {
  await eventually(async () => (await read('node', 'list', '--alive')).items.length === 7);
  await read('deployment', 'create', 'shop', '--description', 'The shop');
  const bound = await read('snapshot', 'bind', 'shop', 'demo-web', 'box-r01-u01', 'box-r01-u02');
  expect(bound).toMatchObject({ bound: 2 });
  expect(bound.pulledIn.map((item: { role: string }) => item.role)).toContain('demo-ntp');
  const plan = await read('plan', 'shop');
  expect(plan.refusals).toEqual([]);
  const wrong = await ask('commit', 'shop', '--plan', 'somethingelse');
  expect(wrong.code).toBe(6);
  expect(wrong.err).toContain('hostwright plan');
  const done = await ask('commit', 'shop', '--plan', plan.hash, '--watch');
  expect(done.code, done.err).toBe(0);
  expect(done.out).toContain('4 of 4 done');
  const shown = await ask('node', 'show', 'box-r01-u01');
  expect(shown.out).toContain('demo-web');
  const log = await ask('logs', 'box-r01-u01/demo-web');
  expect(log.out).toContain('== 20-start');
  const runs = await read('runs', '--node', 'box-r01-u01');
  expect(runs.items.every((run: { status: string }) => run.status === 'succeeded')).toBe(true);
});

test('what fails says why, and which command would clear it', async () => {
  await read('deployment', 'create', 'broken');
  await read('snapshot', 'bind', 'broken', 'demo-fails', 'box-r01-u03');
  const watched = await ask('commit', 'broken', '--watch');
  expect(watched.code).toBe(7);
  expect(watched.err).toContain('hostwright why broken');
  await read('snapshot', 'bind', 'broken', 'demo-ntp', 'box-r01-u05');
  const corrected = await ask('commit', 'broken');
  expect(corrected.out, corrected.err).toContain(
    'demo-fails on box-r01-u03 is in error, and new data alone does not run it again: hostwright retry box-r01-u03/demo-fails',
  );
  expect((await ask('why', 'demo-fails@box-r01-u03')).out).toContain(
    'to clear it: hostwright retry',
  );
  const why = await read('why', 'box-r01-u03');
  expect(why.sentence).toContain('demo-fails on box-r01-u03');
  expect(why.command).toContain('hostwright retry');
  const otherWay = await read('why', 'demo-fails@box-r01-u03');
  expect(otherWay).toEqual(await read('why', 'box-r01-u03/demo-fails'));
  expect((await ask('logs', 'demo-fails@box-r01-u03')).out).toContain('== 10-fail');
  const nothing = await ask('why', 'nosuch');
  expect(nothing).toMatchObject({ code: 5 });
  expect(nothing.err).toContain('neither a node nor a deployment nosuch');
  const retried = await read('retry', 'box-r01-u03/demo-fails');
  expect(retried).toMatchObject({ ok: 1, failed: 0 });
});

test('a commit without leave says what waits for it, and the command that it prints gives it', async () => {
  const barclamp = join(folder, 'wiping');
  mkdirSync(barclamp);
  const roles = '[{ name: wipe, jig: noop, flags: [destructive] }]';
  writeFileSync(join(barclamp, 'barclamp.yml'), `name: wiping\nversion: 1.0.0\nroles: ${roles}\n`);
  const imported = await ask('import', barclamp);
  expect(imported.code, imported.err).toBe(0);
  await read('deployment', 'create', 'wiped');
  await read('snapshot', 'bind', 'wiped', 'wipe', 'box-r01-u06');
  const committed = await ask('commit', 'wiped');
  expect(committed.out, committed.err).toContain('wipe on box-r01-u06 waits for leave');
  const command = /give leave with: hostwright (.*)/.exec(committed.out)?.[1] ?? '';
  expect(command).toMatch(/^commit wiped --consent wipe@box-r01-u06/);
  const allowed = await ask(...command.split(' '), '--watch');
  expect(allowed.code, allowed.err).toBe(0);
  expect(allowed.out).not.toContain('waits for leave');
});

test('without a terminal, watch tells what is seen of a machine while its work goes on', async () => {
  const { db } = site.database;
  const node = 'box-r01-u07';
  const barclamp = join(folder, 'waiting');
  mkdirSync(join(barclamp, 'scripts/wait'), { recursive: true });
  writeFileSync(
    join(barclamp, 'barclamp.yml'),
    'name: waiting\nversion: 1.0.0\nroles: [{ name: wait, jig: script, requires: [managed-node] }]\n',
  );
  writeFileSync(join(barclamp, 'scripts/wait/10-wait'), '#!/bin/sh\n# simulate: seconds 100000\n');
  const imported = await ask('import', barclamp);
  expect(imported.code, imported.err).toBe(0);
  await read('deployment', 'create', 'patient');
  await read('snapshot', 'bind', 'patient', 'wait', node);
  await read('commit', 'patient');
  const { id: nodeId } = await read('node', 'show', node);
  await eventually(async () => (await read('why', `${node}/wait`)).cause.kind === 'waiting');
  const see = (text: string) =>
    transaction(db, (tx) => recordBootEvent(tx, { nodeId, kind: 'phase', text }));
  await see('install: power');
  const watching = startHostwright(['watch', 'patient'], env);
  await eventually(() => watching.out().includes(`${node}: install: power\n`));
  await see('install: boot');
  await eventually(() => watching.out().includes(`${node}: install: boot\n`));
  watching.kill('SIGTERM');
  expect((await watching.ended).out.split('install: power')).toHaveLength(2);
});

test('what was exported is imported as no change; a changed file proposes the difference', async () => {
  const file = join(folder, 'design.yml');
  await read('export', 'shop', '--output', file);
  expect(await read('import', file)).toEqual({
    proposed: [{ deployment: 'shop', snapshot: null, changes: 0 }],
  });
  writeFileSync(file, readFileSync(file, 'utf8').replace('- box-r01-u02', '- box-r01-u04'));
  const { proposed } = await read('import', file);
  expect(proposed[0].changes).toBe(2);
  const diff = await read('snapshot', 'diff', 'shop');
  expect(diff.bindings.added).toContainEqual(
    expect.objectContaining({ role: 'demo-web', node: 'box-r01-u04' }),
  );
  expect(diff.bindings.removed).toContainEqual(
    expect.objectContaining({ role: 'demo-web', node: 'box-r01-u02' }),
  );
  await read('snapshot', 'discard', 'shop');
  writeFileSync(file, 'hostwright: 1\ndeployments:\n  - nam: x\n');
  const bad = await ask('import', file);
  expect(bad.code).toBe(2);
  expect(bad.err).toContain('deployments.0');
});

test('a refused edit leaves no proposal that it opened, says each reason once, and ends as documented', async () => {
  await read('deployment', 'create', 'untouched');
  const noProposal = async () =>
    expect((await read('deployment', 'show', 'untouched')).proposedSnapshotId).toBeNull();
  const unknown = await ask('snapshot', 'bind', 'untouched', 'nosuchrole', 'box-r01-u01');
  expect(unknown).toMatchObject({ code: 5, out: '' });
  expect(unknown.err).toBe('hostwright: there is no role nosuchrole\n');
  await noProposal();
  const two = await ask('snapshot', 'bind', 'untouched', 'nosuchrole', 'nobody');
  expect(two.code).toBe(5);
  expect(two.err.trim().split('\n')).toEqual([
    'hostwright: refused, for 2 reasons',
    '  - there is no role nosuchrole',
    '  - there is no node nobody',
  ]);
  await noProposal();
  const data = await ask('snapshot', 'data', 'untouched', '{"a":1}', '--role', 'nosuchrole');
  expect(data.code).toBe(5);
  await noProposal();
  const file = join(folder, 'half-good.yml');
  writeFileSync(
    file,
    'hostwright: 1\ndeployments:\n  - name: untouched\n    roles:\n      demo-web:\n        data: { demo: { web: { port: 81 } } }\n      nosuchrole:\n        nodes: [box-r01-u01]\n',
  );
  const half = await ask('import', file);
  expect(half.code, half.err).toBe(5);
  await noProposal();
  await read('snapshot', 'propose', 'untouched');
  const empty = await ask('commit', 'untouched');
  expect(empty).toMatchObject({ code: 6, out: '' });
  expect(empty.err).toContain('nothing to commit');
  expect(empty.err).toContain('hostwright snapshot discard');
  expect((await read('snapshot', 'history', 'untouched')).items).toMatchObject([
    { revision: 1, state: 'proposed' },
  ]);
});

test('more simulated machines are others than those of the rack', async () => {
  const client = createClient({
    url: site.url,
    token: site.apiToken,
    fetch: createNodeFetch({ ca: site.ca }),
  });
  expect(await findFirstFree(client)).toBe(0);
  for (const node of ['box-r01-u01', 'box-r01-u02'])
    await read('node', 'label', node, 'simulated=yes');
  expect(await findFirstFree(client)).toBe(2);
});

test('labels, groups, people and tokens', async () => {
  const labelled = await read('node', 'label', 'box-r01-u01', 'rack=r1', 'env=test');
  expect(labelled.labels).toMatchObject({ rack: 'r1', env: 'test' });
  expect((await read('node', 'label', 'box-r01-u01', 'env-')).labels).not.toHaveProperty('env');
  expect((await read('node', 'list', '-l', 'rack=r1')).items).toHaveLength(1);
  await read('user', 'create', 'vera', '--role', 'viewer');
  const { secret } = await read('token', 'create', 'for vera', '--user', 'vera');
  const viewer = { ...env, HOSTWRIGHT_TOKEN: secret };
  expect((await hostwright(['node', 'list', '--json'], viewer)).code).toBe(0);
  const refused = await hostwright(['deployment', 'create', 'hers'], viewer);
  expect(refused.code).toBe(4);
  const link = await read('user', 'link', 'vera');
  expect(link.url).toContain('/signin#token=');
  expect((await ask('join-command')).out).toContain('--ca-fingerprint');
});

test('trouble is one sentence with what to do, and an exit code of its own', async () => {
  const missing = await ask('node', 'show', 'nowhere');
  expect(missing).toMatchObject({ code: 5, out: '' });
  expect(missing.err.trim().split('\n')).toHaveLength(1);
  const lost = await hostwright(['status'], { ...env, HOSTWRIGHT_URL: 'https://127.0.0.1:1' });
  expect(lost.code).toBe(3);
  const stranger = await hostwright(['status'], { ...env, HOSTWRIGHT_TOKEN: 'nonsense' });
  expect(stranger.code).toBe(4);
  const unknown = await ask('node', 'explode');
  expect(unknown.code).toBe(2);
  const nobody = await hostwright(['status'], {
    HOME: folder,
    XDG_DATA_HOME: folder,
    HOSTWRIGHT_DATA_DIR: folder,
  });
  expect(nobody.code).toBe(3);
  expect(nobody.err).toContain('hostwright up');
  const asJson = await ask('node', 'show', 'nowhere', '--json');
  expect(JSON.parse(asJson.err)).toMatchObject({ error: 'not_found' });
});

test('login trusts a server by the fingerprint of its CA, and nothing else', async () => {
  const own = { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') };
  const { system } = await read('status');
  const wrong = await hostwright(
    ['login', site.url, '--fingerprint', '00'.repeat(32), '--token', site.apiToken],
    own,
  );
  expect(wrong.code).toBe(4);
  const right = await hostwright(
    ['login', site.url, '--fingerprint', system.caFingerprint, '--name', 'test'],
    own,
    site.apiToken,
  );
  expect(right.code, right.err).toBe(0);
  expect((await hostwright(['node', 'list', '--json'], own)).code).toBe(0);
  expect((await hostwright(['context', 'list'], own)).out).toContain('test');
});
