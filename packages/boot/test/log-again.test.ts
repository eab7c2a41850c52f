/** A log that is read while the database goes away: each line is written down once. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { followServers } from '../src/feed/follow-servers.ts';
import { registerBootServer } from '../src/index.ts';
import { addNode, mac } from './fixtures.ts';

let database: TestDatabase;
let folder: string;
beforeEach(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'hostwright-log-'));
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const texts = async (): Promise<string[]> => {
  const { rows } = await sql<{ text: string }>`select text from boot_event order by id`.execute(
    database.db,
  );
  return rows.map(({ text }) => text);
};
const line = (id: number, said: string): string =>
  `Nov 15 16:05:05 dnsmasq-dhcp[7]: ${id} ${said}\n`;
const boot = (number: number): string =>
  line(number, 'vendor class: PXEClient:Arch:00000') +
  line(number, `DHCPOFFER(eth0) 10.0.0.${number} ${mac(number)}`) +
  line(number, `DHCPACK(eth0) 10.0.0.${number} ${mac(number)}`);
const told = (number: number): string[] => [
  `dnsmasq: DHCPOFFER 10.0.0.${number} to firmware`,
  `dnsmasq: DHCPACK 10.0.0.${number} to firmware`,
];

test('the next look begins at the line at which the database went away', async () => {
  for (const number of [1, 2, 3])
    await addNode(database, { name: `n${number}`, macs: [mac(number)] });
  const server = { name: 'dnsmasq', kind: 'dnsmasq', folder, host: hostname() } as const;
  await registerBootServer(database.db, server);
  // a name in another alphabet before it: places are bytes
  writeFileSync(
    join(folder, 'dnsmasq.log'),
    line(9, 'client provides name: münchen') + boot(1) + boot(2) + boot(3),
  );
  await sql`create function refuse() returns trigger language plpgsql as 'begin raise exception ''away''; end'`.execute(
    database.db,
  );
  await sql`create trigger refuse before insert on boot_event
    for each row when (new.text like '%DHCPACK 10.0.0.2 %') execute function refuse()`.execute(
    database.db,
  );
  const follower = followServers(database);
  for (let look = 0; look < 2; look++) await expect(follower.read()).rejects.toThrow('away');
  expect(await texts()).toEqual([...told(1), ...told(2).slice(0, 1)]);
  await sql`drop trigger refuse on boot_event`.execute(database.db);
  for (let look = 0; look < 2; look++) await follower.read();
  expect(await texts()).toEqual([...told(1), ...told(2), ...told(3)]);
});
