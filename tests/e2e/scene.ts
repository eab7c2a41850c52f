/** Something to look at: a small tree of deployments with work done, under way, failed and proposed. */
import { deployment_create } from '@hostwright/api/nouns/deployment';
import { node_bulk } from '@hostwright/api/nouns/node-bulk';
import { node_list } from '@hostwright/api/nouns/node';
import { group_create, group_members } from '@hostwright/api/nouns/group';
import { noderole_list } from '@hostwright/api/nouns/noderole';
import { snapshot_bind, snapshot_data } from '@hostwright/api/nouns/snapshot-edit';
import { snapshot_commit } from '@hostwright/api/nouns/snapshot-commit';
import { snapshot_plan } from '@hostwright/api/nouns/snapshot-plan';
import { snapshot_propose } from '@hostwright/api/nouns/snapshot';
import { token_create } from '@hostwright/api/nouns/token';
import { secret_put } from '@hostwright/api/nouns/secret';
import { webhook_create } from '@hostwright/api/nouns/webhook';
import { eventually } from '@hostwright/testkit';
import type { Site } from './site.ts';

type Bindings = readonly (readonly [role: string, nodes: readonly string[]])[];

const pairs = (bindings: Bindings) =>
  bindings.flatMap(([role, nodes]) => nodes.map((node) => ({ role, node })));

const propose = async (site: Site, deployment: string, bindings: Bindings): Promise<number> => {
  const { id } = await site.client.call(snapshot_propose, { params: { deployment } });
  const params = { snapshot: id };
  await site.client.call(snapshot_bind, { params, body: { bindings: pairs(bindings) } });
  return id;
};

const commit = async (site: Site, snapshot: number, message: string): Promise<void> => {
  const params = { snapshot };
  const { hash } = await site.client.call(snapshot_plan, { params });
  await site.client.call(snapshot_commit, { params, body: { plan: hash, message } });
};

const atRest = (site: Site, deployment: string) =>
  eventually(
    async () => {
      const query = { deployment, state: 'todo,transition', limit: 1 };
      return (await site.client.call(noderole_list, { query })).items.length === 0;
    },
    { limitSeconds: 120, what: `${deployment} at rest` },
  );

const label = async (site: Site, nodes: readonly string[]): Promise<void> => {
  const racks = new Map<string, string[]>();
  for (const node of nodes) {
    const rack = /r\d+/.exec(node)?.[0] ?? 'r00';
    racks.set(rack, [...(racks.get(rack) ?? []), node]);
  }
  for (const [rack, members] of racks)
    await site.client.call(node_bulk, {
      body: { action: 'labels', nodes: members, labels: { rack, site: 'berlin' } },
    });
};

/** Needs at least ten machines; the last fifth stays without a role. */
export const paintScene = async (site: Site): Promise<void> => {
  const { items } = await site.client.call(node_list, {
    query: { q: 'rack', limit: 1000, sort: 'name' },
  });
  const nodes = items.map((node) => node.name);
  const share = (from: number, to: number) =>
    nodes.slice(
      Math.floor(from * nodes.length),
      Math.max(1 + Math.floor(from * nodes.length), Math.floor(to * nodes.length)),
    );
  await label(site, nodes);
  for (const [name, parent, description] of [
    ['berlin', 'system', 'The site in Berlin'],
    ['shop', 'berlin', 'The web shop, front to back'],
    ['data', 'berlin', 'Databases that others use'],
    ['lab', 'system', 'Where things may break'],
  ] as const)
    await site.client.call(deployment_create, { body: { name, parent, description } });
  await commit(
    site,
    await propose(site, 'data', [['demo-database', share(0.5, 0.6)]]),
    'The first databases',
  );
  await commit(site, await propose(site, 'shop', [['demo-web', share(0, 0.3)]]), 'Web servers');
  await Promise.all(['data', 'shop'].map((name) => atRest(site, name)));
  await commit(
    site,
    await propose(site, 'shop', [
      ['demo-app', share(0, 0.15)],
      ['demo-loadbalancer', share(0.3, 0.36)],
    ]),
    'The application on top',
  );
  await atRest(site, 'shop');
  const open = await propose(site, 'shop', [['demo-web', share(0.36, 0.42)]]);
  await site.client.call(snapshot_data, {
    params: { snapshot: open },
    body: { data: { demo: { ntp: { server: 'ntp.berlin.example' } } } },
  });
  await site.client.call(token_create, {
    body: { kind: 'api', name: 'monitoring', expiresInDays: 90 },
  });
  await site.client.call(group_create, {
    body: { name: 'canaries', category: 'change', description: 'They get everything first' },
  });
  await site.client.call(group_members, {
    params: { group: 'canaries' },
    body: { add: [...share(0, 0.1)] },
  });
  await site.client.call(secret_put, {
    params: { secret: 'bmc/berlin' },
    body: { value: 'not a real password' },
  });
  // switched off: nothing is posted from here
  await site.client.call(webhook_create, {
    body: {
      name: 'chat',
      url: 'https://chat.example/hooks/hostwright',
      kinds: ['noderole.state', 'snapshot.*'],
      active: false,
    },
  });
  // last: its slow ones are still under way when the first page is looked at
  await commit(
    site,
    await propose(site, 'lab', [
      ['demo-fails', share(0.62, 0.66)],
      ['demo-slow', share(0.66, 0.8)],
    ]),
    'Trying things out',
  );
};
