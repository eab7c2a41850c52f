/** The script of the role network-interfaces, on real NICs of a network namespace. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hasPrograms, layCable, type Cable } from './netns.ts';

const run = promisify(execFile);
const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const SCRIPT = at('barclamps/network/scripts/network-interfaces/10-configure');
const LIB = at('packages/jigs/src/script/lib.sh');

let cable: Cable;
let root: string;
let nic: string;
beforeEach(async () => {
  cable = await layCable('10.66.0.1/24');
  root = mkdtempSync(join(tmpdir(), 'hostwright-nics-'));
  mkdirSync(join(root, 'etc/systemd/system'), { recursive: true });
  mkdirSync(join(root, 'attr'));
  nic = (await cable.inMachine('cat', `/sys/class/net/${cable.machineLink}/address`)).trim();
});
afterEach(() => {
  cable.remove();
  rmSync(root, { recursive: true, force: true });
});

const configure = async (lines: readonly string[], apply = true): Promise<string> => {
  writeFileSync(join(root, 'attr/NETWORK_LINKS'), lines.join('\n'));
  writeFileSync(join(root, 'attr/NETWORK_APPLY'), String(apply));
  const env = [`HOSTWRIGHT_LIB=${LIB}`, `HOSTWRIGHT_DIR=${root}`, `HOSTWRIGHT_ROOT=${root}`];
  return cable.inMachine('env', ...env, SCRIPT);
};
const addresses = async (device: string): Promise<string[]> => {
  const text = await cable.inMachine('ip', '-o', 'addr', 'show', 'dev', device, 'scope', 'global');
  return [...text.matchAll(/inet6? (\S+)/g)].map((match) => match[1] ?? '');
};

test.skipIf(!hasPrograms('/usr/sbin/ip'))(
  'a network on a bridge is reached, changes without leftovers, goes again, and leaves others alone',
  async () => {
    await cable.inMachine('ip', 'addr', 'add', '192.0.2.9/24', 'dev', cable.machineLink);
    const line = (address: string) =>
      `7 admin ${nic} - - 1400 br7 ${address},fd66::10/64 10.66.0.1@100`;
    await configure([line('10.66.0.10/24')]);
    expect(await addresses('br7')).toEqual(['10.66.0.10/24', 'fd66::10/64']);
    expect(await cable.inMachine('ip', 'route', 'show', 'default')).toContain(
      'via 10.66.0.1 dev br7 metric 100',
    );
    expect(await cable.inMachine('ip', '-o', 'link', 'show', cable.machineLink)).toMatch(
      /mtu 1400 .*master br7/,
    );
    // the other side of the cable hears from the bridge
    await cable.inMachine('busybox', 'ping', '-c', '1', '-W', '5', '10.66.0.1');

    await configure([line('10.66.0.20/24')]);
    expect(await addresses('br7')).toEqual(['10.66.0.20/24', 'fd66::10/64']);
    await cable.inMachine(join(root, 'etc/hostwright/network/apply'));
    expect(await addresses('br7')).toEqual(['10.66.0.20/24', 'fd66::10/64']);
    const unit = join(
      root,
      'etc/systemd/system/multi-user.target.wants/hostwright-network.service',
    );
    expect(readFileSync(unit, 'utf8')).toContain('ExecStart=/etc/hostwright/network/apply');

    await configure([]);
    await expect(addresses('br7')).rejects.toThrow(/does not exist/);
    expect(await addresses(cable.machineLink)).toEqual(['192.0.2.9/24']);
  },
);

test.skipIf(!hasPrograms('/usr/sbin/ip'))(
  'a network straight on a NIC is given and taken back; a NIC that is not there is an error that names it',
  async () => {
    await configure([`3 plain ${nic} - - - - 10.66.0.30/24 -`]);
    expect(await addresses(cable.machineLink)).toEqual(['10.66.0.30/24']);
    await configure([`3 plain ${nic} - - - - 10.66.0.31/24 -`], false);
    expect(await addresses(cable.machineLink)).toEqual(['10.66.0.30/24']);
    await expect(configure(['4 gone 52:54:00:ff:ff:ff - - - - 10.0.0.1/24 -'])).rejects.toThrow(
      /no NIC has the MAC 52:54:00:ff:ff:ff/,
    );
  },
);

test.skipIf(!hasPrograms('/usr/sbin/ip'))(
  'a bond with a VLAN is made of the right NICs in the right order',
  async () => {
    const second = `${cable.machineLink.slice(0, 10)}b`;
    const { machine } = cable;
    await run('ip', ['-n', machine, 'link', 'add', second, 'type', 'veth']);
    const other = (await cable.inMachine('cat', `/sys/class/net/${second}/address`)).trim();
    await configure(
      [`9 storage ${other},${nic} 802.3ad 30 9000 - 10.30.0.5/24 -`],
      false, // this kernel may know no bonds: what would be done is read, not done
    );
    const told = await cable.inMachine(join(root, 'etc/hostwright/network/apply'), 'print');
    const bond = /link add (bond\d+) type bond mode 802.3ad/.exec(told)?.[1];
    expect(told.split('\n').map((text) => text.replaceAll(bond ?? '?', 'BOND'))).toEqual([
      'ip link add BOND type bond mode 802.3ad miimon 100',
      `ip link set ${second} down`,
      `ip link set ${second} master BOND`,
      `ip link set ${cable.machineLink} down`,
      `ip link set ${cable.machineLink} master BOND`,
      'ip link set BOND mtu 9000',
      `ip link set ${second} up`,
      `ip link set ${cable.machineLink} up`,
      'ip link set BOND up',
      'ip link add link BOND name vl9 type vlan id 30',
      'ip link set vl9 mtu 9000',
      'ip link set vl9 up',
      'ip addr replace 10.30.0.5/24 dev vl9',
      '',
    ]);
  },
);

test.skipIf(!hasPrograms('/usr/sbin/ip'))(
  'a bridge that others have plugged into stays when its own NIC changes, and after an upgrade',
  async () => {
    for (const name of ['spare', 'guest'])
      await cable.inMachine('ip', 'link', 'add', name, 'type', 'veth', 'peer', `${name}-end`);
    const spare = (await cable.inMachine('cat', '/sys/class/net/spare/address')).trim();
    const line = (mac: string) => `7 admin ${mac} - - - br7 10.66.0.10/24 -`;
    const ports = async () =>
      (await cable.inMachine('ls', '/sys/class/net/br7/brif')).trim().split('\n').sort();
    await configure([line(nic)]);
    await cable.inMachine('ip', 'link', 'set', 'guest', 'master', 'br7');
    await configure([line(spare)]);
    expect(await ports()).toEqual(['guest', 'spare']);
    // what the version before wrote down
    writeFileSync(join(root, 'etc/hostwright/network/made'), 'device br7\n');
    await configure([line(spare)]);
    expect(await ports()).toEqual(['guest', 'spare']);
    expect(await addresses('br7')).toEqual(['10.66.0.10/24']);
  },
);
