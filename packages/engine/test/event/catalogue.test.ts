import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  createNode,
  deleteNode,
  EMITTED_EVENTS,
  readEvents,
  reportHello,
  reportInventory,
  sequenceEvents,
  START,
  TRIGGER_EVENTS,
  updateNode,
} from '@hostwright/engine';
import { seedNoderole, seedRoles } from '../seed-graph.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const CATALOGUE: Readonly<Record<string, readonly string[] | 'any'>> = {
  ...TRIGGER_EVENTS,
  ...EMITTED_EVENTS,
};

test('docs/reference/events.md lists every kind of event with every key of its payload', () => {
  const page = readFileSync(join(ROOT, 'docs/reference/events.md'), 'utf8');
  const documented = Object.fromEntries(
    [...page.matchAll(/^\| `([a-z]+\.[a-z]+)` \|[^|]*\| ([^|]*) \|/gm)].map(
      ([, kind = '', keys = '']) => [
        kind,
        keys.trim() === 'any' ? 'any' : [...keys.matchAll(/`([A-Za-z]+)`/g)].map(([, key]) => key),
      ],
    ),
  );
  expect(documented).toEqual(CATALOGUE);
});

test('no kind stands in the catalogue that nothing emits', () => {
  const sources = ['engine', 'boot', 'server'].flatMap((name) =>
    readdirSync(join(ROOT, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('event/kinds.ts'))
      .map((file) => readFileSync(join(ROOT, 'packages', name, 'src', file), 'utf8')),
  );
  const text = sources.join('\n');
  const dead = Object.keys(EMITTED_EVENTS).filter((kind) => !text.includes(`'${kind}'`));
  expect(dead).toEqual([]);
});

test('triggers write the kinds and keys that the catalogue gives them', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  const node = await createNode(db, { name: 'n1', actor: 'test' });
  const nodeId = node.ok ? node.node.id : 0;
  await reportHello(db, { nodeId, bootId: 'b' });
  await reportInventory(db, { nodeId, bootId: 'b', facts: { cpu: 1 } });
  const changes = { available: false, bootenv: 'rescue', labels: { a: 'b' }, hint: { c: 1 } };
  await updateNode(db, { node: 'n1', changes, actor: 'test' });
  const roles = await seedRoles(db, [{ name: 'a' }]);
  const id = await seedNoderole(db, { role: roles.get('a') ?? 0, node: nodeId });
  await sql`update noderole set state = 'error', reason = 'x' where id = ${id}`.execute(db);
  await sql`insert into run (noderole_id, node_id, role_id, deployment_id, lane, jig, status) select id, node_id, role_id, deployment_id, lane, 'noop', 'queued' from noderole`.execute(
    db,
  );
  await sql`update run set status = 'cancelled'`.execute(db);
  await sql`insert into network (name) values ('lan')`.execute(db);
  await sql`insert into network_range (network_id, name, subnet, first, last) values (1, 'host', '10.0.0.0/24', '10.0.0.1', '10.0.0.9')`.execute(
    db,
  );
  await sql`insert into allocation (range_id, node_id, address) values (1, ${nodeId}, '10.0.0.1'), (1, null, '10.0.0.2')`.execute(
    db,
  );
  await sql`update allocation set note = 'printer' where node_id is null`.execute(db);
  await sql`update allocation set released_at = now(), quarantine_until = now() where node_id is not null`.execute(
    db,
  );
  await sql`delete from allocation`.execute(db);
  await sql`delete from network`.execute(db);
  await deleteNode(db, { node: 'n1', actor: 'test', abandon: true });
  await sequenceEvents(db);
  const { events } = await readEvents(db, { after: START });
  const seen = new Map<string, Set<string>>();
  for (const { kind, payload } of events) {
    const keys = seen.get(kind) ?? new Set();
    for (const key of Object.keys(payload)) keys.add(key);
    seen.set(kind, keys);
  }
  const triggered: Readonly<Record<string, readonly string[]>> = TRIGGER_EVENTS;
  expect([...seen.keys()].toSorted()).toEqual(Object.keys(triggered).toSorted());
  for (const [kind, keys] of seen)
    expect([kind, [...keys].filter((key) => !triggered[kind]?.includes(key))]).toEqual([kind, []]);
  const about = (kind: string) =>
    events
      .filter((event) => event.kind === kind)
      .map((event) => [event.nodeId, event.payload['address']]);
  expect(about('allocation.created')).toEqual([
    [nodeId, '10.0.0.1'],
    [null, '10.0.0.2'],
  ]);
  expect(about('allocation.deleted')).toEqual([
    [nodeId, '10.0.0.1'],
    [null, '10.0.0.2'],
  ]);
});
