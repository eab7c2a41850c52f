/** What comes late, twice, from somebody who makes it up, or from who had the machine before. */
import { expect, test } from 'vitest';
import { openLogMemory, readLogLine } from '../src/feed/read-log.ts';
import { openIntent } from '../src/index.ts';
import { seedPath } from './fixtures.ts';
import { openInstallWorld } from './install-world.ts';

test('a failure that is told after the end changes nothing of what the machine boots', async () => {
  const world = await openInstallWorld();
  try {
    const machine = await world.setUp();
    const token = await world.writing(machine);
    expect((await world.ask(`/boot/v1/install/${token}/finished`, 'POST')).status).toBe(200);
    await world.ask(`/boot/v1/install/${token}/failed`, 'POST', 'reason=late');
    expect((await machine.phase()).phase).toBe('restart');
    expect((await machine.node()).bootenv).toBe('local');
  } finally {
    await world.close();
  }
});

test("a client whose name looks like a line of the log tells nothing of another's boot", () => {
  const line = '7 DHCPACK(eth0) 10.0.0.9 52:54:00:00:00:01';
  const real = `Nov  5 16:05:05 dnsmasq-dhcp[24641]: ${line}`;
  expect(readLogLine('dnsmasq', real, openLogMemory())).toMatchObject({ mac: '52:54:00:00:00:01' });
  for (const forged of [
    `Nov 15 16:05:05 dnsmasq-dhcp[24641]: 3 vendor class: x dnsmasq-dhcp[1]: ${line}`,
    `Nov 15 16:05:05 dnsmasq-dhcp[24641]: 3 vendor class: dnsmasq-tftp[1]: sent /a/b to 10.0.0.9`,
    'Nov 15 16:05:05 dnsmasq-tftp[24641]: file dnsmasq-tftp[1]: sent /a/b to 10.0.0.9',
  ])
    expect(readLogLine('dnsmasq', forged, openLogMemory())).toBeNull();
});

test('the keys of a machine that was released open no rescue of it', async () => {
  const world = await openInstallWorld();
  try {
    const key = `ssh-ed25519 ${'A'.repeat(68)} former@owner`;
    const machine = await world.setUp(undefined, { os: 'image', ssh_keys: [key] });
    await machine.step();
    await world.ask(`/boot/v1/install/${await world.boot(machine)}/failed`, 'POST', 'reason=x');
    await machine.endRun();
    const rescue = async () => {
      await world.database.db
        .transaction()
        .execute((tx) =>
          openIntent(tx, { nodeId: machine.nodeId, bootenv: 'rescue', seconds: 600 }),
        );
      return (await world.ask(seedPath(await machine.script()))).text;
    };
    expect(await rescue()).toContain('former@owner');
    // as an unbind leaves it
    await world.database.pool.query('delete from noderole where node_id = $1', [machine.nodeId]);
    const text = await rescue();
    expect(text).toContain('mode=rescue');
    expect(text).not.toContain('former@owner');
  } finally {
    await world.close();
  }
});

test('a HEAD, as scanners and proxies send it, uses up no seed', async () => {
  const world = await openInstallWorld();
  try {
    const machine = await world.setUp();
    await machine.step();
    const seed = seedPath(await machine.script());
    expect((await world.ask(seed, 'HEAD')).status).toBe(405);
    expect((await machine.phase()).phase).toBe('boot');
    expect((await world.ask(seed)).status).toBe(200);
  } finally {
    await world.close();
  }
});
