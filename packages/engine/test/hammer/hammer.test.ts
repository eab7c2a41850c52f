import { randomBytes } from 'node:crypto';
import { createTestDatabase } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import {
  createNode,
  deleteHammer,
  deleteSecret,
  listHammers,
  masterKey,
  needNode,
  putHammer,
  putSecret,
} from '@hostwright/engine';

test('a hammer names its secret and never holds one', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await createNode(db, { name: 'n1', actor: 'test' });
  const base = { node: 'n1', kind: 'ipmi', endpoint: '10.0.0.9', username: 'ADMIN', actor: 'anna' };
  expect(
    await putHammer(db, {
      ...base,
      kind: 'IPMI 2',
      secret: 'none',
      endpoint: 'a\nb',
      priority: 1.5,
      config: { password: 'x' },
    }),
  ).toMatchObject({
    ok: false,
    refusals: [
      { path: 'kind' },
      { path: 'endpoint' },
      { path: 'secret' },
      { path: 'priority' },
      { path: 'config/password' },
    ],
  });
  await putSecret(db, {
    name: 'bmc',
    value: 'calvin',
    master: masterKey(randomBytes(32)),
    actor: 'anna',
  });
  expect(await putHammer(db, { ...base, secret: 'bmc' })).toMatchObject({
    ok: true,
    hammer: { revision: 1 },
  });
  expect(await putHammer(db, { ...base, endpoint: '10.0.0.10' })).toMatchObject({
    hammer: { revision: 2, secret: 'bmc', endpoint: '10.0.0.10' },
  });
  await expect(putHammer(db, { ...base, revision: 1 })).rejects.toMatchObject({
    code: 'precondition_failed',
  });
  expect(await deleteSecret(db, { name: 'bmc', actor: 'a' })).toMatchObject({
    ok: false,
    refusals: [{ path: 'hammer ipmi of node n1' }],
  });
  const [hammer] = await listHammers(db, (await needNode(db, 'n1')).id);
  expect(hammer).toMatchObject({ kind: 'ipmi' });
  await deleteHammer(db, { node: 'n1', kind: 'ipmi', actor: 'a' });
  await expect(deleteHammer(db, { node: 'n1', kind: 'ipmi', actor: 'a' })).rejects.toMatchObject({
    code: 'not_found',
  });
});
