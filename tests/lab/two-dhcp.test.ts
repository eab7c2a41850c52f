/** dnsmasq and Kea on one wire, both fed: whichever answers first, the machine is the same node. */
import { existsSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import {
  allocateAddress,
  feedServer,
  keaConnection,
  keaDriver,
  missingAcks,
  prepareKeaDatabase,
  dropKeaDatabase,
  readAcks,
  registerBootServer,
  startKea,
  stopKea,
} from '@hostwright/boot';
import { transaction } from '@hostwright/engine';
import { runCommand } from '@hostwright/providers';
import { eventually } from '@hostwright/testkit';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { discovered, LONG, longLab } from './look.ts';
import { createLabSite, type LabSite } from './site.ts';

const SUBNET = { id: 1, subnet: '192.168.77.0/24' };
const DATABASE_PORT = 5433;

describe.skipIf(!longLab() || !existsSync('/usr/sbin/kea-dhcp4'))('two DHCP servers', () => {
  let site: LabSite;
  let pool: pg.Pool;
  let folder: string;
  let serverId: number;
  let namespace: string;

  beforeAll(async () => {
    site = await createLabSite();
    const { rack, database } = site;
    // a machine of its own for Kea, plugged into the same bridge
    namespace = `${rack.namespace}k`;
    const within = ['ip', 'netns', 'exec', namespace];
    await runCommand(['ip', 'netns', 'add', namespace]);
    const ip = (...words: string[]) => runCommand(['ip', '-n', namespace, ...words]);
    await runCommand(
      `ip -n ${rack.namespace} link add kea0 type veth peer name eth0 netns ${namespace}`.split(
        ' ',
      ),
    );
    await runCommand(`ip -n ${rack.namespace} link set kea0 master ${rack.bridge} up`.split(' '));
    await ip('link', 'set', 'lo', 'up');
    await ip('link', 'set', 'eth0', 'up');
    await ip('addr', 'add', '192.168.77.2/24', 'dev', 'eth0');
    // its way to PostgreSQL, which listens on the loopback of this machine only
    const kea = await prepareKeaDatabase({ hostwrightUrl: database.url });
    const real = keaConnection(kea.url);
    const door = await rack.openSocket(DATABASE_PORT);
    door.on('connection', (inside) => {
      const outside = connect(real.port, real.host);
      inside.pipe(outside).pipe(inside);
      for (const end of [inside, outside]) end.on('error', () => inside.destroy());
    });
    folder = join(site.home, 'kea');
    mkdirSync(folder);
    await startKea(
      {
        folder,
        interfaces: ['eth0'],
        hostDatabase: { ...real, host: rack.address, port: DATABASE_PORT },
        subnets: [{ ...SUBNET, pools: [{ first: '192.168.77.251', last: '192.168.77.254' }] }],
        bootUrl: site.bootUrl,
        nextServer: '192.168.77.2',
      },
      within,
    );
    serverId = await registerBootServer(database.db, { name: 'kea', kind: 'kea', folder });
    pool = new pg.Pool({ connectionString: kea.url, max: 2 });
  }, 600_000);
  afterAll(async () => {
    await stopKea(folder);
    await pool.end();
    await dropKeaDatabase(site.database.url);
    await runCommand(['ip', 'netns', 'del', namespace]);
    await site.close();
  }, 300_000);

  test(
    'a machine that boots beside both is discovered once, and both give it its address',
    LONG,
    async () => {
      const { db } = site.database;
      const machine = await site.machine({ name: 'between', number: 80 });
      await machine.start();
      const first = await discovered(site, machine);
      await machine.cut();
      const range = await db
        .selectFrom('network_range')
        .select('id')
        .where('name', '=', 'host')
        .executeTakeFirstOrThrow();
      await transaction(db, (tx) =>
        allocateAddress(tx, { nodeId: first.id, rangeId: range.id, hint: '192.168.77.42' }),
      );
      expect(missingAcks(await readAcks(db, first.id)).map((ack) => ack.server)).toEqual([
        'dnsmasq',
        'kea',
      ]);
      await site.feed();
      const driver = keaDriver({
        pool,
        controlSocket: join(folder, 'control'),
        subnets: [SUBNET],
      });
      await feedServer(db, { serverId, driver });
      expect(missingAcks(await readAcks(db, first.id))).toEqual([]);
      await machine.start();
      const second = await discovered(site, machine, first.boot_epoch);
      expect(second.id).toBe(first.id);
      await eventually(
        async () =>
          JSON.stringify((await discovered(site, machine)).discovery).includes('192.168.77.42/24'),
        { limitSeconds: 120, what: 'its address in the inventory of this boot' },
      );
      expect(await db.selectFrom('node').select('id').execute()).toHaveLength(1);
    },
  );
});
