import { createClient } from '@hostwright/api';
import { createNodeFetch } from '@hostwright/api/node-fetch';
import { deployment_create, deployment_get } from '@hostwright/api/nouns/deployment';
import { node_get, node_list } from '@hostwright/api/nouns/node';
import { noderole_list } from '@hostwright/api/nouns/noderole';
import { snapshot_bind } from '@hostwright/api/nouns/snapshot-edit';
import { snapshot_commit } from '@hostwright/api/nouns/snapshot-commit';
import { snapshot_propose } from '@hostwright/api/nouns/snapshot';
import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFleet, type Fleet } from '../src/index.ts';
import { createSite, type Site } from './site.ts';

let site: Site;
const fleets: Fleet[] = [];
beforeAll(async () => {
  site = await createSite();
});
afterAll(async () => {
  for (const fleet of fleets) await fleet.stop();
  await site.close();
});

const connect = () =>
  createClient({
    url: site.url,
    token: site.apiToken,
    fetch: createNodeFetch({ ca: site.ca }),
  });

const start = (options: { prefix: string; seed: number; nodes: number; failureRate?: number }) => {
  const fleet = startFleet({
    url: site.url,
    ca: site.ca,
    joinToken: site.joinToken,
    secondsPerTask: 0.01,
    rebootSeconds: 0.05,
    connectsPerSecond: 500,
    ...options,
  });
  fleets.push(fleet);
  return fleet;
};

const commitOn = async (deployment: string, roles: readonly string[], nodes: readonly string[]) => {
  const client = connect();
  await client.call(deployment_create, { body: { name: deployment } });
  const { id: snapshot } = await client.call(snapshot_propose, { params: { deployment } });
  const bindings = roles.flatMap((role) => nodes.map((node) => ({ role, node })));
  await client.call(snapshot_bind, { params: { snapshot }, body: { bindings } });
  await client.call(snapshot_commit, { params: { snapshot }, body: {} });
};

const names = async (prefix: string, count: number): Promise<string[]> => {
  const client = connect();
  return eventually(
    async () => {
      const { items } = await client.call(node_list, {
        query: { q: prefix, alive: true, limit: 1000 },
      });
      return items.length === count && items.map((node) => node.name);
    },
    { limitSeconds: 120, what: `${count} nodes alive` },
  );
};

test('two hundred machines join, report their hardware and carry out every role they are given', async () => {
  const fleet = start({ prefix: 'many', seed: 7, nodes: 200 });
  const nodes = await names('many', 200);
  await commitOn('converge', ['demo-web'], nodes);
  const client = connect();
  const done = await eventually(
    async () => {
      const found = await client.call(deployment_get, { params: { deployment: 'converge' } });
      return found.noderoles.active === 400 && found;
    },
    { limitSeconds: 120, what: '400 active noderoles' },
  );
  expect(done.noderoles).toMatchObject({ error: 0, todo: 0, blocked: 0, transition: 0 });
  expect(fleet.tally).toMatchObject({ joins: 200, succeeded: 400, failed: 0, refused: 0 });
  const { items } = await client.call(noderole_list, {
    query: { node: 'many-r01-u01', role: 'demo-web', fields: ['id', 'wall'] },
  });
  expect(items[0]?.wall).toEqual({ demo: { web: { address: '10.64.0.2' } } });
  const node = await client.call(node_get, { params: { node: 'many-r10-u20' } });
  expect(node.discovery).toMatchObject({ hostname: 'many-r10-u20', firmware: 'uefi' });
}, 180_000);

test('the share of tasks that should fail fails, in the way scripts fail', async () => {
  const fleet = start({ prefix: 'weak', seed: 8, nodes: 20, failureRate: 1 });
  await commitOn('failing', ['demo-ntp'], await names('weak', 20));
  const client = connect();
  await eventually(async () => {
    const found = await client.call(deployment_get, { params: { deployment: 'failing' } });
    return found.noderoles.error === 20;
  });
  expect(fleet.tally).toMatchObject({ succeeded: 0, failed: 20 });
  const { items } = await client.call(noderole_list, {
    query: { node: 'weak-r01-u01', role: 'demo-ntp' },
  });
  expect(items[0]?.reason).toContain('10-find-offset exited with 1');
});

test('a machine that reboots comes back in a new boot; the same machine is the same node', async () => {
  const fleet = start({ prefix: 'again', seed: 9, nodes: 1 });
  await names('again', 1);
  const client = connect();
  const params = { node: 'again-r01-u01' };
  const before = await client.call(node_get, { params });
  fleet.machine(0)?.reboot();
  const after = await eventually(async () => {
    const node = await client.call(node_get, { params });
    return node.bootEpoch === before.bootEpoch + 1 && node;
  });
  expect(after.id).toBe(before.id);
  expect(after.bootId).not.toBe(before.bootId);
  const { items } = await client.call(node_list, { query: { q: 'again' } });
  expect(items).toHaveLength(1);
});

test('a dead machine is silent until it is switched on, and then takes work again', async () => {
  const fleet = start({ prefix: 'dead', seed: 10, nodes: 1 });
  const [node = ''] = await names('dead', 1);
  const client = connect();
  fleet.machine(0)?.die();
  await eventually(() => fleet.tally.up === 0);
  fleet.machine(0)?.revive();
  await eventually(async () => (await client.call(node_get, { params: { node } })).bootEpoch === 2);
  await commitOn('return', ['demo-ntp'], [node]);
  await eventually(async () => {
    const found = await client.call(deployment_get, { params: { deployment: 'return' } });
    return found.noderoles.active === 1;
  });
  expect(fleet.tally).toMatchObject({ up: 1, reboots: 1, succeeded: 1 });
});

test('stopping ends every machine and closes every connection', async () => {
  const fleet = start({ prefix: 'stop', seed: 11, nodes: 10 });
  await eventually(() => fleet.connections() >= 10);
  await fleet.stop();
  expect(fleet.tally.up).toBe(0);
  await eventually(() => fleet.connections() === 0);
});
