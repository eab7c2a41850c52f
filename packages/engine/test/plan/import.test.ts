import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HostwrightError, unresolvedNeeds, type ErrorCode } from '@hostwright/core';
import { importBarclamp, readCatalogue, resolveInputs, type Db } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  ACTOR,
  addDeployment,
  addJigs,
  addNodes,
  deploy,
  importRoles,
  makeActive,
  seeNoderoles,
  writeBarclamp,
  clear,
} from './fixture.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
beforeEach(async () => {
  await clear(db);
  await addJigs(db);
});
afterAll(() => database.close());

const importText = (text: string, files: Record<string, string> = {}) =>
  importBarclamp(db, { folder: writeBarclamp({ 'barclamp.yml': text, ...files }), actor: ACTOR });

const refusalOf = async (work: Promise<unknown>): Promise<HostwrightError> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof HostwrightError) return error;
    throw error;
  }
  throw new Error('was not refused');
};

const expectRefused = async (
  work: Promise<unknown>,
  code: ErrorCode,
  text: RegExp,
): Promise<void> => {
  const error = await refusalOf(work);
  expect(error.code).toBe(code);
  expect(error.refusals.map((refusal) => `${refusal.path}: ${refusal.message}`).join('\n')).toMatch(
    text,
  );
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from role`.execute(
    db,
  );
  expect(rows[0]?.count).toBe(0);
};

test('the same content again changes nothing, not even a revision', async () => {
  const folder = writeBarclamp({
    'barclamp.yml': `
name: demo
version: "1"
roles:
  - { name: base, jig: noop, flags: [implicit] }
  - { name: web, jig: script, requires: [base], attribs: [{ name: port, schema: { type: integer }, default: 80 }] }
`,
    'scripts/web/10-start': '#!/bin/sh\n',
  });
  const first = await importBarclamp(db, { folder, actor: ACTOR });
  expect(first).toMatchObject({ added: ['base', 'web'], changed: [], dropped: [], unchanged: [] });
  const before =
    await sql`select r.*, b.revision as b from role r, barclamp b order by r.id`.execute(db);
  const second = await importBarclamp(db, { folder, actor: ACTOR });
  expect(second).toMatchObject({ added: [], changed: [], dropped: [], unchanged: ['base', 'web'] });
  expect(
    (await sql`select r.*, b.revision as b from role r, barclamp b order by r.id`.execute(db)).rows,
  ).toEqual(before.rows);
});

test('what changed is told by role; a changed script is a changed role', async () => {
  const manifest =
    'name: demo\nversion: "1"\nroles:\n  - { name: a, jig: noop }\n  - { name: b, jig: script }\n';
  await importText(manifest, { 'scripts/b/10': '#!/bin/sh\n' });
  const report = await importText(`${manifest}  - { name: c, jig: noop }\n`, {
    'scripts/b/10': '#!/bin/sh\ntrue\n',
  });
  expect(report).toMatchObject({ added: ['c'], changed: ['b'], dropped: [], unchanged: ['a'] });
  const catalogue = await readCatalogue(db);
  expect(catalogue.byName.get('b')?.revision).toBe(2);
  expect(catalogue.byName.get('a')?.revision).toBe(1);
});

describe('dropped roles', () => {
  test('one that nothing names goes', async () => {
    await importRoles(db, [{ name: 'a' }, { name: 'b' }]);
    expect(await importRoles(db, [{ name: 'a' }])).toMatchObject({ dropped: ['b'], kept: [] });
    expect((await readCatalogue(db)).byName.has('b')).toBe(false);
  });

  test('one in use stays under its noderoles, is reported, and is not bound anew', async () => {
    await importRoles(db, [{ name: 'a' }, { name: 'b' }]);
    await addNodes(db, ['n1', 'n2']);
    const shop = await addDeployment(db, 'shop');
    await deploy(db, shop.id, ['b@n1']);
    expect(await importRoles(db, [{ name: 'a' }])).toMatchObject({
      dropped: ['b'],
      kept: [{ role: 'b', kept: expect.stringMatching(/1 noderoles still use it/) }],
    });
    expect(await seeNoderoles(db)).toHaveProperty(['b@n1']);
    await expect(deploy(db, shop.id, ['b@n2'])).rejects.toThrow(/no longer part of barclamp/);
  });

  test('one that comes back is added again', async () => {
    await importRoles(db, [{ name: 'a' }, { name: 'b' }]);
    await addNodes(db, ['n1']);
    await deploy(db, (await addDeployment(db, 'shop')).id, ['b@n1']);
    await importRoles(db, [{ name: 'a' }]);
    expect(await importRoles(db, [{ name: 'a' }, { name: 'b' }])).toMatchObject({ added: ['b'] });
    expect((await readCatalogue(db)).byName.get('b')?.removed).toBe(false);
  });
});

describe('refused, with nothing written', () => {
  test('a jig that is not registered', () =>
    expectRefused(
      importText('name: d\nversion: "1"\nroles: [{ name: a, jig: chef }]\n'),
      'bad_input',
      /roles\.0\.jig: role a: there is no jig chef \(there are noop, script, test\)/,
    ));

  test('a key given twice', () =>
    expectRefused(
      importText('name: d\nname: e\nversion: "1"\n'),
      'bad_input',
      /line 2: Map keys must be unique/,
    ));

  test('a document that is nonsense throughout, in a readable number of reasons', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => `  - nam: r${index}`);
    const error = await refusalOf(
      importText(`name: odd\nversion: 1.0.0\nroles:\n${lines.join('\n')}\n`),
    );
    expect(error.refusals).toHaveLength(21);
    expect(error.refusals.at(-1)?.message).toMatch(/^and \d{3} more$/);
  });

  test('an alias bomb', () => {
    const levels = Array.from({ length: 12 }, (_, level) =>
      level === 0
        ? 'a0: &a0 [x, x, x, x, x, x, x, x, x]'
        : `a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(', ')}]`,
    );
    return expectRefused(
      importText(`name: d\nversion: "1"\ndata:\n${levels.map((line) => `  ${line}`).join('\n')}\n`),
      'bad_input',
      /alias/i,
    );
  });

  test('a manifest of more than a megabyte', () =>
    expectRefused(
      importText(`name: d\nversion: "1"\n${'#'.repeat(1_100_000)}\n`),
      'bad_input',
      /larger than/,
    ));

  test('a name of a megabyte is answered in a few words', async () => {
    const error = await refusalOf(importText(`name: ${'a'.repeat(900_000)}\nversion: "1"\n`));
    expect(JSON.stringify(error.refusals).length).toBeLessThan(2000);
  });

  test('text that is no YAML', () =>
    expectRefused(importText('name: [d\nversion: "1"\n'), 'bad_input', /line/));

  test('numbers out of range', () =>
    expectRefused(
      importText(
        'name: d\nversion: "1"\nroles: [{ name: a, jig: noop, deadlineSeconds: 99999999999999999999, retry: { limit: -1 } }]\n',
      ),
      'bad_input',
      /deadlineSeconds[\s\S]*retry\.limit/,
    ));

  test('roles that require each other in a circle', () =>
    expectRefused(
      importText(
        'name: d\nversion: "1"\nroles:\n  - { name: a, jig: noop, requires: [b] }\n  - { name: b, jig: noop, requires: [c] }\n  - { name: c, jig: noop, requires: [a] }\n',
      ),
      'bad_input',
      /a -> b -> c -> a/,
    ));

  test('a script role without scripts, and scripts without a role', () =>
    expectRefused(
      importText('name: d\nversion: "1"\nroles: [{ name: a, jig: script }]\n', {
        'scripts/b/10': '#!/bin/sh',
      }),
      'bad_input',
      /scripts\/a\/[\s\S]*no role of this barclamp/,
    ));

  test('a folder that is none', () =>
    expectRefused(
      importBarclamp(db, { folder: '/nowhere/at/all', actor: ACTOR }),
      'bad_input',
      /no readable barclamp.yml/,
    ));
});

test('a circle closed by a second barclamp is refused and the first one stays as it was', async () => {
  await importRoles(db, [{ name: 'a', requires: ['b'] }], { name: 'one' });
  const error = await refusalOf(importRoles(db, [{ name: 'b', requires: ['a'] }], { name: 'two' }));
  expect(error.message).toMatch(/a -> b -> a/);
  expect([...(await readCatalogue(db)).byName.keys()]).toEqual(['a']);
});

test('a role or attribute of another barclamp is not taken over', async () => {
  await importRoles(db, [{ name: 'a', attribs: [{ name: 'port' }] }], { name: 'one' });
  const error = await refusalOf(
    importRoles(db, [{ name: 'a' }, { name: 'b', attribs: [{ name: 'port' }] }], { name: 'two' }),
  );
  expect(error.refusals.map((refusal) => refusal.message).sort()).toEqual([
    'attribute port belongs to barclamp one',
    'role a belongs to barclamp one',
  ]);
});

test('what is needed and not there yet is reported, and resolves when it comes', async () => {
  expect(
    (await importRoles(db, [{ name: 'a', requires: ['b'] }], { name: 'one' })).unresolved,
  ).toEqual([{ role: 'a', needs: 'b' }]);
  await addNodes(db, ['n1']);
  const shop = await addDeployment(db, 'shop');
  await expect(deploy(db, shop.id, ['a@n1'])).rejects.toThrow(/needs b/);
  await importRoles(db, [{ name: 'b', flags: ['implicit'] }], { name: 'two' });
  await sql`delete from snapshot`.execute(db);
  await deploy(db, shop.id, ['a@n1']);
  expect(Object.keys(await seeNoderoles(db))).toEqual(['a@n1', 'b@n1']);
});

test('a new default re-runs exactly those who use it', async () => {
  const roles = (port: number) => [
    { name: 'a', attribs: [{ name: 'port', default: port }] },
    { name: 'b', attribs: [{ name: 'other', default: 1 }] },
  ];
  await importRoles(db, roles(80));
  await addNodes(db, ['n1', 'n2']);
  await deploy(db, (await addDeployment(db, 'shop')).id, ['a@n1', 'b@n1']);
  await makeActive(db, ['a@n1', 'b@n1']);
  await importRoles(db, roles(81));
  const seen = await seeNoderoles(db);
  expect(seen['a@n1']?.state).toBe('todo');
  expect(seen['b@n1']?.state).toBe('active');
});

test('a bound role does not change lanes under its noderoles', async () => {
  await importRoles(db, [{ name: 'a' }]);
  await addNodes(db, ['n1']);
  await deploy(db, (await addDeployment(db, 'shop')).id, ['a@n1']);
  expect((await refusalOf(importRoles(db, [{ name: 'a', lane: 'service' }]))).message).toMatch(
    /bound in lane host/,
  );
});

test('the built-in barclamp is imported as it is', async () => {
  const folder = new URL('../../../../barclamps/core', import.meta.url).pathname;
  const report = await importBarclamp(db, { folder, actor: ACTOR });
  expect(report.added).toEqual(['admin-node', 'managed-node']);
  await addNodes(db, ['admin'], { admin: true });
  await addNodes(db, ['n1']);
  expect(Object.keys(await seeNoderoles(db))).toEqual(['admin-node@admin', 'managed-node@n1']);
});

test('every barclamp of this repository is imported, in any order, and needs nothing that is not there', async () => {
  await sql`insert into jig (name) values ('role-provided') on conflict do nothing`.execute(db);
  const all = new URL('../../../../barclamps/', import.meta.url).pathname;
  const folders = readdirSync(all).filter((name) => existsSync(join(all, name, 'barclamp.yml')));
  for (const name of folders.toReversed())
    await importBarclamp(db, { folder: join(all, name), actor: ACTOR });
  const catalogue = await readCatalogue(db);
  const unresolved = catalogue.roles.flatMap((role) => unresolvedNeeds(catalogue, role));
  expect(unresolved).toEqual([]);
});

test('an attribute may move to another role, to the node, and back', async () => {
  const port = [{ name: 'port', default: 1 }];
  const ownerOf = async () => (await readCatalogue(db)).attribs.get('port')?.role;
  await importRoles(db, [{ name: 'a', attribs: port }, { name: 'b' }]);
  await importRoles(db, [{ name: 'a' }, { name: 'b', attribs: port }]);
  expect(await ownerOf()).toBe('b');
  await importRoles(db, [{ name: 'a' }, { name: 'b' }], { attribs: port });
  expect(await ownerOf()).toBe(null);
  await importRoles(db, [{ name: 'a', attribs: port }, { name: 'b' }]);
  expect(await ownerOf()).toBe('a');
  await importRoles(db, [{ name: 'a' }, { name: 'b' }]);
  expect(await ownerOf()).toBe(undefined);
});

test('what is bound reads an attribute its role wants only since the last import', async () => {
  const dns = { name: 'dns', attribs: [{ name: 'domain', default: 'example.org' }] };
  await importRoles(db, [dns, { name: 'web', requires: ['dns'] }]);
  await addNodes(db, ['n1']);
  await deploy(db, (await addDeployment(db, 'shop')).id, ['web@n1']);
  await makeActive(db, ['dns@n1', 'web@n1']);
  await importRoles(db, [dns, { name: 'web', requires: ['dns'], wants: ['domain'] }]);
  const web = (await seeNoderoles(db))['web@n1'];
  expect((await resolveInputs(db, [web?.id ?? 0])).get(web?.id ?? 0)?.attribs).toEqual({
    domain: 'example.org',
  });
  expect(web?.state).toBe('todo');
});
