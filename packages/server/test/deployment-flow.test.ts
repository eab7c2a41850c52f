/** What a person does with a deployment, through the API alone, with a real worker behind it. */
import { createClient } from '@hostwright/api';
import {
  registerJigs,
  setNodeAlive,
  startWorker,
  SILENT,
  transaction,
  type Worker,
} from '@hostwright/engine';
import { createTestJig, noopJig } from '@hostwright/jigs';
import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from './world.ts';

const BARCLAMP = `
name: trial
version: 1.0.0
description: Roles of this test
roles:
  - name: base
    jig: noop
    flags: [implicit]
  - name: web
    jig: test
    requires: [base]
    flags: [milestone]
    attribs:
      - name: web-port
        path: web/port
        schema: { type: integer, minimum: 1, maximum: 65535 }
        default: 80
      - name: web-trial
        path: test
        schema: { type: object }
        default: {}
  - name: rival
    jig: noop
    conflicts: [web]
`;

let world: World;
let worker: Worker;
beforeAll(async () => {
  world = await createWorld();
  const jigs = [noopJig, createTestJig()];
  await registerJigs(world.database.db, jigs);
  worker = await startWorker({ database: world.database, jigs, log: SILENT, name: 'flow' });
  const done = await world.ask('admin', {
    method: 'POST',
    url: '/barclamps/import',
    body: { name: 'trial', files: { 'barclamp.yml': BARCLAMP } },
  });
  expect(done.status, done.text).toBe(200);
  expect(done.json.added.toSorted()).toEqual(['base', 'rival', 'web']);
  await world.ask('operator', { method: 'POST', url: '/deployments', body: { name: 'shop' } });
  for (const name of ['n1', 'n2']) {
    await world.ask('operator', {
      method: 'POST',
      url: '/nodes',
      body: { name, deployment: 'shop' },
    });
    await setAlive(name);
  }
});
afterAll(async () => {
  await worker.stop();
  await world.stop();
});

const setAlive = async (name: string) => {
  const { json } = await world.ask('viewer', { url: `/nodes/${name}` });
  await transaction(world.database.db, (tx) =>
    setNodeAlive(tx, { nodeId: json.id, alive: true, reason: 'says the test' }),
  );
};

const post = (url: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  world.ask('operator', { method: 'POST', url, body, headers });
const get = (url: string) => world.ask('viewer', { url });

test('the same barclamp again changes nothing, and one with a path out of its folder is refused', async () => {
  const again = await world.ask('admin', {
    method: 'POST',
    url: '/barclamps/import',
    body: { name: 'trial', files: { 'barclamp.yml': BARCLAMP } },
  });
  expect(again.json).toMatchObject({ added: [], changed: [], dropped: [] });
  const out = await world.ask('admin', {
    method: 'POST',
    url: '/barclamps/import',
    body: { name: 'trial', files: { '../../etc/cron.d/x': '' } },
  });
  expect(out.status).toBe(400);
  expect(out.json.refusals[0].path).toContain('body/files');
});

test('proposed, bound, planned, committed, carried out, and seen to be', async () => {
  const proposal = (await post('/deployments/shop/snapshots', { message: 'first' })).json;
  const explained = await world.ask('viewer', {
    method: 'POST',
    url: '/deployments/shop/explain-binding',
    body: { nodes: ['n1'], roles: ['web', 'rival'] },
  });
  expect(explained.json.roles).toMatchObject([
    { role: 'web', accepts: true, pulledIn: [{ role: 'base', node: 'n1' }] },
    { role: 'rival', accepts: true },
  ]);
  const bound = await post(`/snapshots/${proposal.id}/bind`, {
    bindings: [
      { role: 'web', node: 'n1' },
      { role: 'web', node: 'n2' },
    ],
  });
  expect(bound.status, bound.text).toBe(200);
  expect(bound.json.bound).toBe(2);
  const refused = await post(`/snapshots/${proposal.id}/bind`, {
    bindings: [
      { role: 'rival', node: 'n1' },
      { role: 'nothing', node: 'n1' },
      { role: 'web', node: 'nobody' },
    ],
  });
  expect(refused.status).toBe(422);
  expect(refused.json.refusals.length).toBeGreaterThanOrEqual(2);
  const content = await get(`/snapshots/${proposal.id}/content`);
  expect(content.json.bindings).toHaveLength(4);
  const matrix = await get(`/deployments/shop/matrix?snapshot=${proposal.id}`);
  expect(matrix.json.ids).toEqual([0, 0, 0, 0]);
  const plan = (await get(`/snapshots/${proposal.id}/plan`)).json;
  expect(plan.add).toHaveLength(4);
  const moved = await post(`/snapshots/${proposal.id}/commit`, { plan: 'f'.repeat(64) });
  expect(moved.status, moved.text).toBe(409);
  expect(moved.json.code).toBe('plan_moved');
  const done = await post(`/snapshots/${proposal.id}/commit`, { plan: plan.hash });
  expect(done.status, done.text).toBe(200);
  expect(done.json.state).toBe('committed');
  const twice = await post(`/snapshots/${proposal.id}/commit`, { plan: plan.hash });
  expect(twice.status).toBe(409);

  const progress = await eventually(async () => {
    const answer = (await get(`/snapshots/${proposal.id}/progress`)).json;
    return answer.finished && answer;
  });
  expect(progress).toMatchObject({ total: 4, done: 4, failed: 0 });
  const why = await get('/deployments/shop/why');
  expect(why.json.done).toBe(true);
  const graph = await get('/deployments/shop/graph');
  expect(graph.json.noderoles).toHaveLength(4);
  expect(graph.json.edges).toHaveLength(2);
  const cells = await get('/deployments/shop/matrix');
  expect(cells.json.state).toEqual([4, 4, 4, 4]);
  const fleet = (await get('/fleet')).json;
  const n1 = fleet.names.indexOf('n1');
  expect(fleet.rollups[fleet.rollup[n1]]).toBe('active');
  const listed = await get('/nodes?state=active&role=web&sort=name');
  expect(listed.json.items.map((item: { name: string }) => item.name)).toEqual(['n1', 'n2']);
});

const webOf = async (node: string) =>
  (await get(`/noderoles?deployment=shop&role=web&node=${node}`)).json.items[0];

test('a change of data runs exactly what it concerns again; a bad value is refused with its field', async () => {
  const proposal = (await post('/deployments/shop/snapshots')).json;
  const put = (data: unknown) =>
    world.ask('operator', {
      method: 'PUT',
      url: `/snapshots/${proposal.id}/bindings/web/n1/data`,
      body: { data },
    });
  expect((await put({ web: { port: 99_999_999 } })).status).toBe(422);
  const before = [await webOf('n1'), await webOf('n2')];
  const ok = await put({ web: { port: 81 } });
  expect(ok.status, ok.text).toBe(200);
  const plan = (await get(`/snapshots/${proposal.id}/plan`)).json;
  expect([...plan.change, ...plan.rerun].some((item: { node: string }) => item.node === 'n2')).toBe(
    false,
  );
  const diff = (await get(`/deployments/shop/diff?from=1&to=2`)).json;
  expect(diff.bindings.changed).toMatchObject([{ role: 'web', node: 'n1' }]);
  await post(`/snapshots/${proposal.id}/commit`);
  await eventually(
    async () =>
      (await webOf('n1')).runCount > before[0].runCount && (await webOf('n1')).state === 'active',
  );
  expect((await webOf('n2')).runCount).toBe(before[1].runCount);
  const attribs = (await get(`/noderoles/${before[0].id}/attribs`)).json;
  expect(attribs.items.find((item: { path: string }) => item.path === 'web/port')).toMatchObject({
    value: 81,
    layer: 'own data',
  });
});

test('a role that fails says why, and is retried after its cause has gone', async () => {
  const change = async (data: unknown) => {
    const proposal = (await post('/deployments/shop/snapshots')).json;
    const put = await world.ask('operator', {
      method: 'PUT',
      url: `/snapshots/${proposal.id}/bindings/web/n2/data`,
      body: { data },
    });
    expect(put.status, put.text).toBe(200);
    const done = await post(`/snapshots/${proposal.id}/commit`);
    expect(done.status, done.text).toBe(200);
  };
  await change({ test: { always_fails: true } });
  const failed = await eventually(async () => {
    const web = await webOf('n2');
    return web.state === 'error' && web;
  });
  const why = (await get(`/noderoles/${failed.id}/why`)).json;
  expect(why.sentence).toContain('told to fail always');
  expect(why.command).toContain('retry');
  expect((await get('/nodes/n2/why')).json.cause.noderoleId).toBe(failed.id);
  expect((await get('/nodes?state=error')).json.items).toMatchObject([
    { name: 'n2', rollup: 'error' },
  ]);
  const log = (await get(`/runs/${failed.lastRunId}/log`)).json;
  expect(log.lines.at(-1)).toMatchObject({ stream: 'err', text: 'failing as told' });
  const elsewhere = await post('/noderoles/retry', { role: 'web', deployment: 'system' });
  expect(elsewhere.json, 'web fails in shop, not there').toMatchObject({ ok: 0, failed: 0 });
  const bulk = await post('/noderoles/retry', { role: 'web', deployment: 'shop' });
  expect(bulk.json).toMatchObject({ ok: 1, failed: 0 });
  await eventually(async () => {
    const web = await webOf('n2');
    return web.lastRunId > failed.lastRunId && web.state === 'error';
  });
  await change({ test: {} });
  // what is in error waits for a person, also when its inputs have changed
  await post(`/noderoles/${failed.id}/retry`);
  await eventually(async () => (await webOf('n2')).state === 'active');
});

test('back to the first revision is a proposal with its content', async () => {
  const open = (await get('/deployments/shop')).json.proposedSnapshotId;
  if (open !== null) await world.ask('operator', { method: 'DELETE', url: `/snapshots/${open}` });
  const back = await post('/deployments/shop/rollback', { revision: 1 });
  expect(back.status, back.text).toBe(201);
  expect(back.json.basedOn).toBe(1);
  const edited = await world.ask('operator', {
    method: 'DELETE',
    url: `/snapshots/${back.json.id}`,
    headers: { 'if-match': '"999"' },
  });
  expect(edited.status).toBe(412);
  expect(
    (await world.ask('operator', { method: 'DELETE', url: `/snapshots/${back.json.id}` })).status,
  ).toBe(204);
});

test('runs, their logs, the annealer and its series can be read', async () => {
  const runs = (await get('/runs?deployment=shop&limit=2')).json;
  expect(runs.items).toHaveLength(2);
  const next = (await get(`/runs?deployment=shop&limit=2&cursor=${encodeURIComponent(runs.next)}`))
    .json;
  expect(next.items[0].id).toBeLessThan(runs.items[1].id);
  const run = (await get(`/runs/${runs.items[0].id}`)).json;
  expect(run.attribs).toBeTypeOf('object');
  expect((await get(`/runs/${run.id}/log`)).json.ended).toBe(true);
  const annealer = (await get('/annealer')).json;
  expect(annealer).toMatchObject({ mode: 'auto', workers: [{ name: 'flow', alive: true }] });
  // workers tell of themselves with their lease, every three seconds
  const series = await eventually(async () => {
    const { json } = await get('/annealer/series?minutes=10');
    return json.succeeded.reduce((sum: number, count: number) => sum + count, 0) >= 4 && json;
  });
  expect(series.failed.reduce((sum: number, count: number) => sum + count, 0)).toBe(2);
  const once = await post('/annealer/once');
  expect(once.status).toBe(409);
  expect(
    (await world.ask('operator', { method: 'PATCH', url: '/annealer', body: { mode: 'manual' } }))
      .json.mode,
  ).toBe('manual');
  expect((await post('/annealer/once')).status).toBe(202);
  await world.ask('operator', { method: 'PATCH', url: '/annealer', body: { mode: 'auto' } });
  const ready = await get('/ready');
  expect(ready.json).toMatchObject({ ready: true });
  const metrics = await get('/metrics');
  expect(metrics.text).toMatch(/hostwright_noderoles\{state="active"\} \d+/);
  expect(metrics.text).toMatch(/hostwright_workers 1/);
});

test('pausing holds work back and why says so', async () => {
  const paused = await post('/deployments/shop/pause');
  expect(paused.json.paused).toBe(true);
  const web = await webOf('n1');
  const retried = await post(`/noderoles/${web.id}/retry`);
  expect(retried.status, retried.text).toBe(200);
  const why = (await get(`/noderoles/${web.id}/why`)).json;
  expect(why.sentence).toMatch(/paus/);
  expect(why.command).toBeTypeOf('string');
  await post('/deployments/shop/resume');
  await eventually(async () => (await webOf('n1')).state === 'active');
});

test('data of the system deployment is set at once, by an admin, and runs again what reads it', async () => {
  const put = (role: 'operator' | 'admin', deployment: string, port: unknown) =>
    world.ask(role, {
      method: 'PUT',
      url: `/deployments/${deployment}/data`,
      body: { data: { web: { port } } },
    });
  expect((await put('operator', 'system', 8080)).status).toBe(403);
  expect((await put('admin', 'shop', 8080)).status).toBe(409);
  expect((await put('admin', 'system', 'many')).status).toBe(422);
  const before = await webOf('n2');
  const done = await put('admin', 'system', 8080);
  expect(done.json, done.text).toMatchObject({ changed: true, revision: 1 });
  await eventually(async () => {
    const web = await webOf('n2');
    return web.runCount > before.runCount && web.state === 'active';
  });
  const role = await world.ask('admin', {
    method: 'PUT',
    url: '/deployments/system/roles/web/data',
    body: { data: { web: { port: 8081 } } },
  });
  expect(role.json, 'nobody bound web in the system deployment').toMatchObject({
    changed: true,
    revision: 2,
    rerun: 0,
  });
});

test('what others need is not deleted', async () => {
  const node = await world.ask('operator', { method: 'DELETE', url: '/nodes/n1' });
  expect(node.status).toBe(409);
  expect(node.json.code).toBe('in_use');
  const deployment = await world.ask('operator', { method: 'DELETE', url: '/deployments/shop' });
  expect(deployment.status).toBe(409);
  expect(deployment.json.refusals.length).toBeGreaterThan(0);
});

test('the typed client speaks to the same server', async () => {
  await world.app.listen({ host: '127.0.0.1', port: 0 });
  const { deployment_get } = await import('@hostwright/api/nouns/deployment');
  const client = createClient({
    url: world.context.url().replace('localhost', '127.0.0.1'),
    token: world.tokens.viewer,
  });
  expect(
    (await client.call(deployment_get, { params: { deployment: 'shop' } })).noderoles.active,
  ).toBe(4);
  await expect(
    client.call(deployment_get, { params: { deployment: 'nowhere' } }),
  ).rejects.toMatchObject({ code: 'not_found', status: 404 });
});
