import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createTestDatabase, eventually } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { listenForLoaders, registerFile } from '../src/index.ts';
import { bootDeps } from './fixtures.ts';
import { openInstallWorld } from './install-world.ts';

test('a loader that asks for an image and takes nothing of it is let go', async () => {
  await using database = await createTestDatabase();
  const deps = bootDeps(database);
  mkdirSync(join(deps.files.folder, 'big'));
  writeFileSync(join(deps.files.folder, 'big/image'), Buffer.alloc(64 << 20));
  await registerFile(database.db, { folder: deps.files.folder, path: 'big/image' });
  const listener = await listenForLoaders(deps, { host: '127.0.0.1', port: 0, patienceMs: 500 });
  const socket = connect({ port: listener.port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.pause();
  socket.write('GET /boot/v1/files/big/image HTTP/1.1\r\nhost: x\r\n\r\n');
  const isHeldOpen = () =>
    readdirSync('/proc/self/fd').some((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).endsWith('big/image');
      } catch {
        return false;
      }
    });
  try {
    await eventually(isHeldOpen, { what: 'the file to be opened' });
    await eventually(() => !isHeldOpen(), { what: 'the file to be closed' });
  } finally {
    socket.destroy();
    await listener.close();
  }
});

test('a password hash is forgotten as soon as no installer needs it', async () => {
  const world = await openInstallWorld();
  try {
    const hash = `$6$salt$${'a'.repeat(86)}`;
    const machine = await world.setUp(undefined, { os: 'image', password_hash: hash });
    await machine.step();
    const token = await world.boot(machine);
    expect((await world.ask(`/boot/v1/install/${token}/plan`)).text).toContain(hash);
    await world.ask(`/boot/v1/install/${token}/failed`, 'POST', 'reason=x');
    const { rows } = await world.database.pool.query<{ plan: string }>(
      'select plan::text as plan from os_install where run_id = $1',
      [machine.runId],
    );
    expect(rows[0]?.plan).toContain('"passwordHash": ""');
    expect(rows[0]?.plan).not.toContain(hash);
  } finally {
    await world.close();
  }
});
