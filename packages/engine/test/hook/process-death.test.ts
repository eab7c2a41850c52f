import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, eventually } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import {
  createNode,
  importBarclamp,
  readEvents,
  sequenceEvents,
  SILENT,
  START,
  startDelivery,
} from '@hostwright/engine';
import { ACTOR, addJigs, writeBarclamp } from '../plan/fixture.ts';

test('what a process was delivering when it was killed is delivered by another, as a further attempt', async () => {
  await using database = await createTestDatabase();
  const { db } = database;
  await addJigs(db);
  const folder = writeBarclamp({
    'barclamp.yml': stringify({
      name: 'deadly',
      version: '1',
      roles: [{ name: 'web', jig: 'noop' }],
    }),
    // dies only in the process that was told to
    'hooks.ts': `
      import type { BarclampHooks } from '@hostwright/engine';
      export const hooks: BarclampHooks = {
        onNodeCreate: async (context, node) => {
          if (process.env['HOOK_KILLS'] === 'yes' && node.name === 'n2') process.kill(process.pid, 'SIGKILL');
          await context.emit({ nodeId: node.id, payload: { name: node.name, attempt: context.attempt } });
        },
      };`,
  });
  await importBarclamp(db, { folder, actor: ACTOR });
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('dying-process.ts', import.meta.url)), database.url],
    {
      env: { ...process.env, HOOK_KILLS: 'yes', NODE_OPTIONS: '' },
      stdio: 'ignore',
    },
  );
  const died = once(child, 'exit');
  for (const name of ['n1', 'n2', 'n3']) await createNode(db, { name, actor: ACTOR });
  expect((await died)[1]).toBe('SIGKILL');
  const delivery = await startDelivery({ database, log: SILENT });
  const told = await eventually(
    async () => {
      await sequenceEvents(db);
      const { events } = await readEvents(db, { after: START, filter: { kinds: ['hook.event'] } });
      return (
        events.length >= 3 && events.map(({ payload }) => [payload['name'], payload['attempt']])
      );
    },
    { limitSeconds: 50, what: 'all three nodes told' },
  );
  await delivery.stop();
  expect(told).toEqual([
    ['n1', 1],
    ['n2', 2],
    ['n3', 1],
  ]);
});
