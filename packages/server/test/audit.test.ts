import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());

const countAudit = async (action: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from audit where action = ${action}`.execute(world.database.db);
  return rows[0]?.count ?? -1;
};

test('a change whose audit row cannot be written is not made', async () => {
  const { ask, database } = world;
  await sql`create function no_audit() returns trigger language plpgsql as
    $$ begin raise exception 'the disk is full'; end $$`.execute(database.db);
  await sql`create trigger no_audit before insert on audit for each row execute function no_audit()`.execute(
    database.db,
  );
  const changes = [
    { method: 'POST', url: '/nodes', body: { name: 'unseen' } },
    { method: 'POST', url: '/deployments', body: { name: 'unseen' } },
    { method: 'POST', url: '/users', body: { name: 'unseen', role: 'viewer' } },
    { method: 'POST', url: '/groups', body: { name: 'unseen' } },
    { method: 'PUT', url: '/secrets/unseen', body: { value: 'long enough' } },
    { method: 'PUT', url: '/settings/webhook.allowInner', body: { value: true } },
    { method: 'POST', url: '/tokens', body: { kind: 'api', name: 'unseen' } },
  ] as const;
  for (const change of changes) expect((await ask('admin', change)).status, change.url).toBe(500);
  await sql`drop trigger no_audit on audit`.execute(database.db);
  const { rows } = await sql<{ made: number }>`
    select (select count(*) from node where name = 'unseen') + (select count(*) from deployment where name = 'unseen')
      + (select count(*) from app_user where name = 'unseen') + (select count(*) from node_group where name = 'unseen')
      + (select count(*) from secret) + (select count(*) from setting where key = 'webhook.allowInner')
      + (select count(*) from token where name = 'unseen') as made`.execute(database.db);
  expect(rows[0]?.made).toBe(0);
});

test('what is refused leaves no row, what is done leaves one', async () => {
  const { ask } = world;
  await ask('admin', { method: 'POST', url: '/deployments', body: { name: 'shop' } });
  const opened = await ask('operator', { method: 'POST', url: '/deployments/shop/snapshots' });
  const refused = await ask('operator', {
    method: 'POST',
    url: `/snapshots/${opened.json.id}/bind`,
    body: { bindings: [{ role: 'nosuch', node: 'nobody' }] },
  });
  expect(refused.status).toBe(404);
  expect(await countAudit('snapshot_bind')).toBe(0);
  expect(await countAudit('snapshot_propose')).toBe(1);
  expect(await countAudit('deployment_create')).toBe(1);
});

test('a token that may do less than its user revokes no token but itself', async () => {
  const { ask } = world;
  const make = (body: object) =>
    ask('operator', { method: 'POST', url: '/tokens', body: { kind: 'api', ...body } });
  const narrow = (await make({ name: 'narrow', role: 'viewer' })).json;
  const other = (await make({ name: 'other', role: 'operator' })).json;
  const revoke = (id: number) =>
    ask(undefined, {
      method: 'DELETE',
      url: `/tokens/${id}`,
      headers: { authorization: `Bearer ${narrow.secret}` },
    });
  expect((await revoke(other.id)).json).toMatchObject({ status: 403, code: 'forbidden' });
  expect((await revoke(narrow.id)).status).toBe(204);
  expect((await revoke(narrow.id)).status).toBe(401);
  expect((await ask('operator', { method: 'DELETE', url: `/tokens/${other.id}` })).status).toBe(
    204,
  );
});
