import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { feedServer, keaDriver, missingAcks, readAcks, registerBootServer } from '../src/index.ts';
import { addNode, mac } from './fixtures.ts';

test('a host database that is not there has acknowledged nothing', async () => {
  await using database = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-kea-away-'));
  const controlSocket = join(folder, 'control');
  // what the control channel of a running Kea says
  const kea = createServer((socket) => socket.end('{"arguments":{"type":"postgresql"}}'));
  await new Promise<void>((resolve) => kea.listen(controlSocket, resolve));
  try {
    const serverId = await registerBootServer(database.db, { name: 'kea', kind: 'kea' });
    const nodes = [
      await addNode(database, { name: 'a', macs: [mac(1)] }),
      await addNode(database, { name: 'b', macs: [mac(2)] }),
    ];
    // this database has no table of Kea's, as one that was lost and made anew
    const driver = keaDriver({ pool: database.pool, controlSocket, subnets: [] });
    await expect(feedServer(database.db, { serverId, driver })).rejects.toThrow(/"hosts"/);
    for (const nodeId of nodes)
      expect(missingAcks(await readAcks(database.db, nodeId))).toHaveLength(1);
  } finally {
    kea.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
