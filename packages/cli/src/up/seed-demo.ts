/**
 * Gives the simulated rack something to do on the first start: a deployment `demo` with the demo
 * barclamp's roles spread over the machines. Through the API, as a person would; never again once
 * the deployment exists, so that whatever the newcomer makes of it stays.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@hostwright/api';
import { deployment_create, deployment_list } from '@hostwright/api/nouns/deployment';
import { node_list } from '@hostwright/api/nouns/node';
import { role_list } from '@hostwright/api/nouns/role';
import { snapshot_bind } from '@hostwright/api/nouns/snapshot-edit';
import { snapshot_commit } from '@hostwright/api/nouns/snapshot-commit';
import { snapshot_propose } from '@hostwright/api/nouns/snapshot';

/** Which part of the rack gets which role: from, up to (shares of the machines). */
const SPREAD: readonly (readonly [role: string, from: number, to: number])[] = [
  ['demo-ntp', 0, 1],
  ['demo-web', 0, 0.5],
  ['demo-database', 0.5, 0.75],
  ['demo-app', 0.25, 0.5],
  ['demo-loadbalancer', 0.75, 0.84],
  ['demo-flaky', 0.84, 1],
];

export const seedDemo = async (
  client: Client,
  options: { readonly machines: number; readonly label: string; readonly signal: AbortSignal },
): Promise<boolean> => {
  const { items: deployments } = await client.call(deployment_list);
  if (deployments.some((deployment) => deployment.name === 'demo')) return false;
  const { items: roles } = await client.call(role_list, { query: { limit: 1000 } });
  const known = new Set(roles.map((role) => role.name));
  const spread = SPREAD.filter(([role]) => known.has(role));
  if (spread.length === 0) return false;
  let nodes: readonly string[] = [];
  while (nodes.length < options.machines) {
    const page = await client.call(node_list, {
      query: { q: options.label, alive: true, limit: 1000, sort: 'name' },
    });
    nodes = page.items.filter((node) => !node.admin).map((node) => node.name);
    if (nodes.length < options.machines) await sleep(300, undefined, { signal: options.signal });
  }
  const body = {
    name: 'demo',
    description: 'A simulated rack to play with: bind, commit, break and mend as you like',
  };
  await client.call(deployment_create, { body });
  const snapshot = await client.call(snapshot_propose, {
    params: { deployment: 'demo' },
    body: { message: 'The first roles of the demo rack' },
  });
  const bindings = spread.flatMap(([role, from, to]) =>
    nodes
      .slice(Math.floor(from * nodes.length), Math.ceil(to * nodes.length))
      .map((node) => ({ role, node })),
  );
  const params = { snapshot: snapshot.id };
  await client.call(snapshot_bind, { params, body: { bindings } });
  await client.call(snapshot_commit, { params, body: {} });
  return true;
};
