import { randomBytes } from 'node:crypto';
import { createNodes, masterKey, putHammer } from '@hostwright/engine';
import { createTestDatabase } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { openHammers, restartIntoNetwork } from '../src/index.ts';

test('a hammer that is set up wrongly is a reason, and keeps nobody from the others', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await createNodes(db, { nodes: [{ name: 'n1' }], actor: 'test' });
  const put = (kind: string, endpoint: string, priority: number) =>
    putHammer(db, { node: 'n1', kind, endpoint, priority, actor: 'test' });
  await put('redfish', 'not a URL', 10);
  await put('ipmi', '127.0.0.1:1', 5);
  const hammers = await openHammers(db, { nodeId: 1, master: masterKey(randomBytes(32)) });
  expect(hammers.map(({ kind }) => kind)).toEqual(['redfish', 'ipmi']);
  await expect(hammers[0]?.power?.status()).rejects.toMatchObject({ kind: 'refused' });
  const [redfish] = hammers;
  const reboot = { kind: 'agent', reboot: { reboot: async () => {} } };
  const restarted = await restartIntoNetwork(redfish === undefined ? [] : [redfish, reboot]);
  expect(restarted).toMatchObject({
    ok: true,
    how: 'reboot by agent',
    notes: [expect.stringContaining('the Redfish endpoint is no URL')],
  });
});
