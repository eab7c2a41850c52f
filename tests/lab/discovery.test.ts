import { readBootTimeline, writeBootTimeline } from '@hostwright/boot';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bootsOf, discovered, LONG, longLab } from './look.ts';
import { createLabSite, type LabSite } from './site.ts';

// in `npm test` the installation shows a discovery first; alone it is part of the long lab
describe.skipIf(!longLab())('discovery', () => {
  let site: LabSite;
  beforeAll(async () => {
    site = await createLabSite();
  }, 600_000);
  afterEach(async () => site.cutAll());
  afterAll(async () => site.close(), 300_000);

  test(
    'a machine that is switched on for the first time becomes a node with its inventory',
    LONG,
    async () => {
      const machine = await site.machine({ name: 'bios', number: 1 });
      const began = performance.now();
      await machine.start();
      const node = await discovered(site, machine);
      process.stderr.write(
        `power-on to registered: ${((performance.now() - began) / 1000).toFixed(1)} s\n`,
      );
      expect(node).toMatchObject({
        bootenv: 'discovery',
        serial: machine.serial,
        system_uuid: machine.uuid,
        macs: machine.macs,
      });
      expect(node.discovery).toMatchObject({ firmware: 'bios', disks: [{ serial: 'DSK1' }] });
      const attempts = await bootsOf(site, node.id);
      const story = writeBootTimeline(
        await readBootTimeline(site.database.db, attempts[0]?.id ?? 0),
      );
      process.stderr.write(story);
      expect(story).toMatch(/script.*\n.*seed.*\n.*joined as node.*\n.*hello/);
      await machine.cut();
    },
  );

  test('a UEFI machine is discovered', LONG, async () => {
    const machine = await site.machine({ name: 'uefi', number: 30, firmware: 'uefi' });
    await machine.start();
    const node = await discovered(site, machine);
    expect(node.discovery).toMatchObject({ firmware: 'uefi', secure_boot: false });
    await machine.cut();
  });

  test('a real NIC model (e1000) is driven by the discovery image', LONG, async () => {
    const machine = await site.machine({ name: 'e1000', number: 31, nicModel: 'e1000' });
    await machine.start();
    const node = await discovered(site, machine);
    expect(JSON.stringify(node.discovery)).toContain('"driver":"e1000"');
    await machine.cut();
  });

  test('B13: a machine that boots from its second NIC is the same node', LONG, async () => {
    const machine = await site.machine({ name: 'twonics', number: 32, nics: 2 });
    await machine.start();
    const first = await discovered(site, machine);
    await machine.cut();
    await machine.start({ bootNic: 1 });
    // alive again, in a later boot than the first: it has joined and said hello
    const second = await discovered(site, machine, first.boot_epoch);
    expect(second.id).toBe(first.id);
    const [latest] = await bootsOf(site, first.id);
    const story = writeBootTimeline(await readBootTimeline(site.database.db, latest?.id ?? 0));
    expect(latest?.mac).toBe(machine.macs[1]);
    process.stderr.write(story);
    const nodes = await site.database.db
      .selectFrom('node')
      .select('id')
      .where((eb) =>
        eb.or([
          eb('system_uuid', '=', machine.uuid),
          eb('serial', '=', machine.serial),
          ...machine.macs.map((mac) => eb(eb.val(mac), '=', eb.fn.any('macs'))),
        ]),
      )
      .execute();
    expect(nodes).toEqual([{ id: first.id }]);
    await machine.cut();
  });
});
