import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from './world.ts';

const COUNT = 300;

let world: World;
beforeAll(async () => {
  world = await createWorld();
  await sql`
    insert into node (name, deployment_id, alive, labels, bootenv, created_at)
    select 'n' || lpad(i::text, 4, '0'), d.id, i % 2 = 0, jsonb_build_object('rack', 'r' || i % 7), 'local',
      -- many share one instant: the order must still be total
      now() - make_interval(secs => (i / 50)::int)
    from deployment d, generate_series(1, ${COUNT}::int) i where d.system`.execute(
    world.database.db,
  );
});
afterAll(() => world.stop());

interface Named {
  readonly id: number;
  readonly name: string;
}

const walk = async (query: string, between?: () => Promise<void>): Promise<Named[]> => {
  const seen: Named[] = [];
  let cursor = '';
  do {
    const page = await world.ask('viewer', { url: `/nodes?limit=37&fields=name${query}${cursor}` });
    expect(page.status, page.text).toBe(200);
    seen.push(...page.json.items);
    cursor = page.json.next === null ? '' : `&cursor=${encodeURIComponent(page.json.next)}`;
    await between?.();
  } while (cursor !== '');
  return seen;
};

test.for([
  '',
  '&sort=-name',
  '&sort=createdAt',
  '&sort=-createdAt',
  '&sort=bootenv',
  '&sort=deployment',
  '&sort=-id',
])('a walk through all pages sees every node once%s', async (query) => {
  const seen = await walk(query);
  expect(seen).toHaveLength(COUNT);
  expect(new Set(seen.map((node) => node.id)).size).toBe(COUNT);
});

test('nodes that come and go during a walk neither repeat nor hide others', async () => {
  let step = 0;
  const seen = await walk('', async () => {
    step += 1;
    await world.ask('operator', {
      method: 'POST',
      url: '/nodes',
      body: { name: `a-before-${step}` },
    });
    await world.ask('operator', {
      method: 'POST',
      url: '/nodes',
      body: { name: `z-behind-${step}` },
    });
    await world.ask('operator', {
      method: 'DELETE',
      url: `/nodes/n${String(step).padStart(4, '0')}`,
    });
  });
  const names = seen.map((node) => node.name);
  expect(new Set(names).size).toBe(names.length);
  const original = names.filter((name) => /^n\d+$/.test(name));
  // those that were there all the time are all there
  for (let index = 50; index <= COUNT; index++)
    expect(original).toContain(`n${String(index).padStart(4, '0')}`);
});

test('filters hold together and the count agrees with the walk', async () => {
  const filter = '&alive=true&label=rack%3Dr3&q=n0';
  const seen = await walk(filter);
  const counted = await world.ask('viewer', { url: `/nodes?limit=1&count=true${filter}` });
  expect(counted.json.total).toBe(seen.length);
  expect(seen.length).toBeGreaterThan(0);
});

test('a choice of fields gives these and the id', async () => {
  const page = await world.ask('viewer', { url: '/nodes?limit=1&fields=name,labels' });
  expect(Object.keys(page.json.items[0]).toSorted()).toEqual(['id', 'labels', 'name']);
  const facts = await world.ask('viewer', { url: '/nodes?limit=1&fields=discovery' });
  expect(Object.keys(facts.json.items[0]).toSorted()).toEqual(['discovery', 'id']);
});

test('a list that has not changed is not sent again', async () => {
  const first = await world.ask('viewer', { url: '/fleet' });
  expect(first.json.count).toBeGreaterThan(0);
  const again = await world.ask('viewer', {
    url: '/fleet',
    headers: { 'if-none-match': String(first.headers.etag) },
  });
  expect(again.status).toBe(304);
  await world.ask('operator', { method: 'POST', url: '/nodes', body: { name: 'news' } });
  const changed = await world.ask('viewer', {
    url: '/fleet',
    headers: { 'if-none-match': String(first.headers.etag) },
  });
  expect(changed.status).toBe(200);
  expect(changed.json.names).toContain('news');
});
