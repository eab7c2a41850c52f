import { createSigninLink, needUser } from '@hostwright/engine';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
  await world.ask('admin', {
    method: 'POST',
    url: '/users',
    body: { name: 'anna', role: 'operator', password: 'a long enough password' },
  });
});
afterAll(() => world.stop());

const signIn = (password = 'a long enough password', name = 'anna') =>
  world.ask(undefined, { method: 'POST', url: '/session', body: { name, password } });

const cookieOf = (headers: Readonly<Record<string, unknown>>): string =>
  String(headers['set-cookie']).split(';')[0] ?? '';

test('signing in sets a cookie that scripts and other sites cannot use', async () => {
  const answer = await signIn();
  expect(answer.status).toBe(201);
  expect(String(answer.headers['set-cookie'])).toMatch(/HttpOnly/);
  expect(String(answer.headers['set-cookie'])).toMatch(/SameSite=Strict/);
  const me = await world.ask(undefined, {
    url: '/session',
    headers: { cookie: cookieOf(answer.headers) },
  });
  expect(me.json).toMatchObject({ name: 'anna', role: 'operator', via: 'session' });
});

test('a change by session without the CSRF token is refused', async () => {
  const answer = await signIn();
  const cookie = cookieOf(answer.headers);
  const make = (headers: Record<string, string>) =>
    world.ask(undefined, {
      method: 'POST',
      url: '/deployments',
      body: { name: 'by-session' },
      headers: { cookie, ...headers },
    });
  expect((await make({})).status).toBe(403);
  expect((await make({ 'x-csrf-token': 'guess' })).status).toBe(403);
  expect((await make({ 'x-csrf-token': answer.json.csrf })).status).toBe(201);
});

test('after signing out the cookie is worth nothing', async () => {
  const answer = await signIn();
  const cookie = cookieOf(answer.headers);
  const out = await world.ask(undefined, {
    method: 'DELETE',
    url: '/session',
    headers: { cookie, 'x-csrf-token': answer.json.csrf },
  });
  expect(out.status).toBe(204);
  expect((await world.ask(undefined, { url: '/session', headers: { cookie } })).status).toBe(401);
});

test('a one-time link lets one in, once, however many click', async () => {
  const user = await needUser(world.database.db, 'anna');
  const { token } = await createSigninLink(world.database.db, { userId: user.id });
  const use = () => world.ask(undefined, { method: 'POST', url: '/session/link', body: { token } });
  const answers = await Promise.all([use(), use(), use()]);
  expect(answers.map((answer) => answer.status === 201).filter(Boolean)).toEqual([true]);
});

test('wrong passwords are limited, also for names that do not exist', async () => {
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 12; attempt++)
    statuses.push((await signIn('wrong', 'nobody-here')).status);
  expect(statuses.slice(0, 10).every((status) => status === 401)).toBe(true);
  expect(statuses.at(-1)).toBe(429);
  expect((await signIn()).status).toBe(201);
});

test('guesses sent all at once are limited like those sent one by one', async () => {
  const guesses = Array.from({ length: 40 }, () => signIn('wrong', 'nobody-there'));
  const statuses = (await Promise.all(guesses)).map((answer) => answer.status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(30);
});

test('a token narrower than its user cannot give the user a password', async () => {
  const made = await world.ask('admin', {
    method: 'POST',
    url: '/tokens',
    body: { kind: 'api', name: 'read only', role: 'viewer' },
  });
  const answer = await world.ask(undefined, {
    method: 'PUT',
    url: '/session/password',
    headers: { authorization: `Bearer ${made.json.secret}` },
    body: { password: 'a password of the thief' },
  });
  expect(answer.status, answer.text).toBe(403);
  expect((await signIn('a password of the thief', 'admin')).status).toBe(401);
});

test('a disabled user is out at once, and the last admin cannot be', async () => {
  const answer = await signIn();
  const cookie = cookieOf(answer.headers);
  await world.ask('admin', { method: 'PATCH', url: '/users/anna', body: { disabled: true } });
  expect((await world.ask(undefined, { url: '/session', headers: { cookie } })).status).toBe(401);
  expect((await signIn()).status).toBe(401);
  await world.ask('admin', { method: 'PATCH', url: '/users/anna', body: { disabled: false } });
  const last = await world.ask('admin', {
    method: 'PATCH',
    url: '/users/admin',
    body: { role: 'viewer' },
  });
  expect(last.status).toBe(409);
  expect(last.json.code).toBe('in_use');
});

test('changing the password ends other sessions and links, and keeps this session', async () => {
  const [here, there] = [await signIn(), await signIn()];
  const cookie = cookieOf(here.headers);
  const headers = { cookie, 'x-csrf-token': here.json.csrf };
  const body = { current: 'a long enough password', password: 'another long password' };
  const wrong = await world.ask(undefined, {
    method: 'PUT',
    url: '/session/password',
    headers,
    body: { ...body, current: 'no' },
  });
  expect(wrong.status).toBe(422);
  const user = await needUser(world.database.db, 'anna');
  const { token } = await createSigninLink(world.database.db, { userId: user.id });
  const done = await world.ask(undefined, {
    method: 'PUT',
    url: '/session/password',
    headers,
    body,
  });
  const link = await world.ask(undefined, {
    method: 'POST',
    url: '/session/link',
    body: { token },
  });
  expect(link.status).toBe(401);
  expect(done.status, done.text).toBe(204);
  expect((await world.ask(undefined, { url: '/session', headers: { cookie } })).status).toBe(200);
  expect(
    (await world.ask(undefined, { url: '/session', headers: { cookie: cookieOf(there.headers) } }))
      .status,
  ).toBe(401);
});
