import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from './world.ts';

let world: World;
const folder = mkdtempSync(join(tmpdir(), 'hostwright-console-'));
beforeAll(async () => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>console</title>');
  writeFileSync(join(folder, 'favicon.svg'), '<svg/>');
  writeFileSync(join(folder, 'assets', 'index-abc123.js'), 'run()');
  writeFileSync(join(folder, 'secret.txt.ts'), 'not served');
  world = await createWorld({ consoleDir: folder });
});
afterAll(async () => {
  await world.stop();
  rmSync(folder, { recursive: true });
});

const get = (url: string) => world.app.inject({ url });

test('the page is asked for each time, assets are kept for ever, any path of the router is the page', async () => {
  for (const url of ['/', '/nodes/web1', '/deployments/shop/graph?x=1']) {
    const page = await get(url);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('<title>console</title>');
    expect(page.headers['cache-control']).toBe('no-cache');
    expect(page.headers['content-security-policy']).not.toContain('unsafe');
  }
  const asset = await get('/assets/index-abc123.js');
  expect(asset.headers['cache-control']).toContain('immutable');
  expect((await get('/favicon.svg')).headers['content-type']).toContain('svg');
});

test('what is not there is said to be missing, and nothing outside the folder is served', async () => {
  expect((await get('/assets/index-old.js')).statusCode).toBe(404);
  expect((await get('/assets/../../package.json')).body).not.toContain('"name"');
  expect((await get('/assets/%2e%2e/secret.txt.ts')).body).not.toContain('not served');
  expect((await get('/api/v2/nothing')).headers['content-type']).toContain('problem+json');
  expect((await world.app.inject({ method: 'POST', url: '/nodes/web1' })).statusCode).toBe(404);
});

test('before the console has been built a page says how to build it', async () => {
  const other = await createWorld({ consoleDir: join(folder, 'nowhere') });
  const page = await other.app.inject({ url: '/' });
  expect(page.statusCode).toBe(200);
  expect(page.body).toContain('has not been built');
  await other.stop();
});
