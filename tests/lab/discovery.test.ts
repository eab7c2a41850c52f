import { listBootAttempts, readBootTimeline, writeBootTimeline } from '@hostwright/boot';
import { missingForRack } from '@hostwright/providers';
import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLabSite, type LabSite } from './site.ts';

// in `npm test` the installation shows a discovery first; alone it is part of the long lab
const missing = process.env['HOSTWRIGHT_SUITE'] === 'lab' ? missingForRack() : ['the long lab'];

describe.skipIf(missing.length > 0)('discovery', () => {
  let site: LabSite;
  beforeAll(async () => {
    site = await createLabSite();
  }, 600_000);
  afterAll(async () => site.close(), 300_000);

  test(
    'a machine that is switched on for the first time becomes a node with its inventory',
    { timeout: 900_000 },
    async () => {
      const machine = await site.machine({ name: 'bios', number: 1 });
      const began = performance.now();
      await machine.start();
      const node = await eventually(() => site.nodeOf(machine), {
        limitSeconds: 300,
        what: `node of ${machine.name}; its console: ${machine.console().slice(-500)}`,
      });
      const facts = await eventually(
        async () => {
          const row = await site.database.db
            .selectFrom('node')
            .selectAll()
            .where('id', '=', node.id)
            .executeTakeFirstOrThrow();
          return row.discovered_at !== null && row.alive ? row : null;
        },
        { limitSeconds: 300, what: 'inventory' },
      );
      process.stderr.write(
        `power-on to registered: ${((performance.now() - began) / 1000).toFixed(1)} s\n`,
      );
      expect(facts).toMatchObject({
        bootenv: 'discovery',
        serial: machine.serial,
        system_uuid: machine.uuid,
        macs: machine.macs,
      });
      expect(JSON.stringify(facts.discovery)).toContain('DSK1');
      const attempts = await listBootAttempts(site.database.db, { nodeId: node.id });
      const story = writeBootTimeline(
        await readBootTimeline(site.database.db, attempts[0]?.id ?? 0),
      );
      process.stderr.write(story);
      expect(story).toMatch(/script.*\n.*seed.*\n.*joined as node.*\n.*hello/);
    },
  );
});
