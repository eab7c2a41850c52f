/** What the agent tells of disks and neighbours: real signatures, real frames, and hostile ones. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentScript } from '@hostwright/agent';
import { eventually, peer } from '@hostwright/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { createMachine, SHELLS, type Machine } from './machine.ts';

const scratch = mkdtempSync(join(tmpdir(), 'hostwright-inventory-'));
// lldpcli asks as another user
chmodSync(scratch, 0o755);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Facts {
  readonly disks: readonly {
    readonly name: string;
    readonly signatures: readonly string[] | null;
  }[];
  readonly nics: readonly { readonly name: string; readonly lldp: unknown }[];
  readonly bmc: unknown;
  readonly ssh_host_keys: readonly string[];
}

const inventory = async (machine: Machine): Promise<Facts> => {
  writeFileSync(join(machine.home, 'agent'), agentScript());
  const { out, err } = await machine.sh(`sh ${machine.home}/agent inventory`);
  expect(err).toBe('');
  // the agent's own shape; what it holds is what is tested
  return JSON.parse(out) as Facts;
};

const device = (machine: Machine, name: string, make: (path: string) => void): void => {
  const path = join(machine.home, 'root/dev', name);
  mkdirSync(join(machine.home, 'root/dev'), { recursive: true });
  writeFileSync(path, '');
  truncateSync(path, 32 << 20);
  make(path);
};

const run = (program: string, args: readonly string[], input = ''): void => {
  execFileSync(program, [...args], { input, stdio: ['pipe', 'ignore', 'pipe'] });
};

const shells = SHELLS.filter((shell) => peer(shell));
const canProbe = existsSync('/usr/sbin/wipefs') || existsSync('/sbin/wipefs');

describe.skipIf(!canProbe || spawnSync('mke2fs', ['-V']).status !== 0)('signatures', () => {
  // busybox has no wipefs: there the real blkid of the image does it
  test.each(shells.filter((shell) => shell !== 'busybox'))(
    'a disk that is not empty is told with what lies on it (%s)',
    async (shell) => {
      const machine = createMachine(shell);
      machine.write('sys/block/sda/sda1/partition', '1\n');
      machine.write('sys/block/sda/sda2/partition', '2\n');
      machine.write('sys/block/sdb/size', '65536\n');
      device(machine, 'sda', (path) => run('sfdisk', ['-q', path], 'label: gpt\n,8M\n,\n'));
      device(machine, 'sda1', (path) => run('mkfs.vfat', ['-n', 'ESP', path]));
      device(machine, 'sda2', (path) =>
        run('mke2fs', ['-q', '-F', '-t', 'ext4', '-L', 'old data', path]),
      );
      device(machine, 'sdb', () => undefined);
      const { disks } = await inventory(machine);
      expect(disks).toMatchObject([
        { name: 'sda', signatures: ['gpt', 'sda1: vfat ESP', 'sda2: ext4 old data'] },
        { name: 'sdb', signatures: [] },
      ]);
      await machine.remove();
    },
  );

  test.each(shells)(
    'a disk that nobody could look at is not told to be empty (%s)',
    async (shell) => {
      const machine = createMachine(shell);
      // no device, and in busybox no program that can probe
      expect((await inventory(machine)).disks).toMatchObject([{ name: 'sda', signatures: null }]);
      device(machine, 'sda', () => undefined);
      expect((await inventory(machine)).disks).toMatchObject([
        { name: 'sda', signatures: shell === 'busybox' ? null : [] },
      ]);
      await machine.remove();
    },
  );

  test('a label can end no string and run nothing', async () => {
    const machine = createMachine('dash');
    const label = '";$(reboot)\n`';
    device(machine, 'sda', (path) => run('mke2fs', ['-q', '-F', '-L', label, path]));
    const { disks } = await inventory(machine);
    expect(disks[0]?.signatures).toEqual([String.raw`ext2 ";$(reboot)\x0a` + '`']);
    expect(existsSync(join(machine.home, 'rebooted'))).toBe(false);
    await machine.remove();
  });
});

test.each(shells)('public host keys are told, private ones never (%s)', async (shell) => {
  const machine = createMachine(shell);
  machine.write('etc/ssh/ssh_host_ed25519_key', 'PRIVATE\n');
  machine.write('etc/ssh/ssh_host_ed25519_key.pub', 'ssh-ed25519 AAAAC3Nz root@"m1\n');
  machine.write('etc/ssh/ssh_host_rsa_key.pub', `ssh-rsa ${'B'.repeat(716)} root@m1\n`);
  const facts = await inventory(machine);
  expect(facts.ssh_host_keys).toEqual([
    'ssh-ed25519 AAAAC3Nz root@"m1',
    `ssh-rsa ${'B'.repeat(716)} root@m1`,
  ]);
  expect(JSON.stringify(facts)).not.toContain('PRIVATE');
  await machine.remove();
});

/** pcap and Ethernet headers, then the TLVs. */
const frame = (...tlvs: readonly (readonly [number, Buffer])[]): Buffer =>
  Buffer.concat([
    Buffer.alloc(54),
    ...tlvs.flatMap(([type, value]) => [
      Buffer.from([(type << 1) | (value.length >> 8), value.length & 255]),
      value,
    ]),
  ]);
const NEIGHBOUR = 'run/hostwright/lldp/eth0';

describe('neighbours', () => {
  test.each(shells)('a frame becomes a neighbour (%s)', async (shell) => {
    const machine = createMachine(shell);
    machine.write(
      NEIGHBOUR,
      frame(
        [1, Buffer.from([4, 0, 0x1b, 0x21, 0xaa, 0xbb, 0xcc])],
        [2, Buffer.from('\u0005Ethernet1/7')],
        [3, Buffer.from([0, 120])],
        [4, Buffer.from('rack 4, höhe 12')],
        [5, Buffer.from('leaf-4')],
        [8, Buffer.from([5, 1, 10, 0, 0, 4, 2, 0, 0, 0, 1, 0])],
        [127, Buffer.from([0, 0x80, 0xc2, 1, 0x0f, 0xa0])],
        [0, Buffer.alloc(0)],
      ),
    );
    const { nics } = await inventory(machine);
    expect(nics[0]?.lldp).toEqual({
      chassis: '00:1b:21:aa:bb:cc',
      port: 'Ethernet1/7',
      port_description: 'rack 4, höhe 12',
      system: 'leaf-4',
      address: '10.0.0.4',
      vlan: '4000',
    });
    await machine.remove();
  });

  test.each(shells)('a hostile frame is harmless text, or nothing (%s)', async (shell) => {
    const machine = createMachine(shell);
    machine.write(
      NEIGHBOUR,
      frame(
        [5, Buffer.from('"}\u0000\n$(reboot)`id`\\')],
        [4, Buffer.alloc(300, 65)],
        [1, Buffer.from([4, 1])],
        [2, Buffer.alloc(0)],
        [8, Buffer.from([200, 1, 9])],
      ),
    );
    const { nics } = await inventory(machine);
    expect(nics[0]?.lldp).toMatchObject({
      system: '"}\u0000\n$(reboot)`id`\\',
      port_description: null,
    });
    // a TLV that claims more bytes than came, and a frame cut off in its header
    machine.write(NEIGHBOUR, Buffer.concat([Buffer.alloc(54), Buffer.from([5 << 1, 200, 65, 66])]));
    expect((await inventory(machine)).nics[0]?.lldp).toMatchObject({ system: null });
    machine.write(NEIGHBOUR, Buffer.alloc(30, 255));
    expect((await inventory(machine)).nics[0]?.lldp).toMatchObject({ chassis: null });
    await machine.remove();
  });
});

const namespace = (name: string): boolean =>
  spawnSync('ip', ['netns', 'add', name], { stdio: 'ignore' }).status === 0;
const canListen = (): boolean => {
  const name = `hwl-${process.pid}`;
  const made =
    ['/usr/sbin/lldpd', '/usr/bin/tcpdump'].every((file) => existsSync(file)) && namespace(name);
  spawnSync('ip', ['netns', 'del', name], { stdio: 'ignore' });
  return made;
};

describe.skipIf(!canListen())('a real switch', () => {
  test('what lldpd sends is heard and told', async () => {
    const id = String(process.pid);
    const [here, there] = [`hwl-a${id}`, `hwl-b${id}`];
    const socket = join(scratch, 'lldpd');
    namespace(here);
    namespace(there);
    const ip = (...args: string[]) => run('ip', args);
    const pieces: ReturnType<typeof spawn>[] = [];
    try {
      ip(
        '-n',
        here,
        'link',
        'add',
        'eth0',
        'type',
        'veth',
        'peer',
        'name',
        'port7',
        'netns',
        there,
      );
      ip('-n', here, 'link', 'set', 'eth0', 'up');
      ip('-n', there, 'link', 'set', 'port7', 'up');
      const within = (space: string, program: string, args: readonly string[], env = {}) => {
        const child = spawn('ip', ['netns', 'exec', space, program, ...args], {
          stdio: 'ignore',
          env: { ...process.env, ...env },
        });
        pieces.push(child);
        return child;
      };
      mkdirSync('/run/lldpd', { recursive: true });
      within(there, 'lldpd', ['-d', '-u', socket, '-I', 'port7']);
      const tell = (...args: string[]) =>
        spawnSync('lldpcli', ['-u', socket, ...args]).status === 0;
      const known = () =>
        spawnSync('lldpcli', ['-u', socket, 'show', 'interfaces'], { encoding: 'utf8' }).stdout;
      // an interval that is set before it knows its port stops it from sending
      await eventually(() => known().includes('port7'), { what: 'lldpd' });
      tell('configure', 'lldp', 'tx-interval', '1');
      tell('configure', 'system', 'hostname', 'leaf "4" $(reboot)');
      const script = fileURLToPath(new URL('../discovery-image/listen-lldp', import.meta.url));
      const frames = join(scratch, 'frames');
      within(here, 'sh', [script, 'eth0', 'once'], { HOSTWRIGHT_LLDP: frames });
      // sent every second; asked for an `update` again and again, lldpd sends nothing at all
      await eventually(() => existsSync(join(frames, 'eth0')), { what: 'a frame' });
      const machine = createMachine('dash');
      mkdirSync(join(machine.home, 'root/run/hostwright/lldp'), { recursive: true });
      copyFileSync(join(frames, 'eth0'), join(machine.home, 'root', NEIGHBOUR));
      const { nics } = await inventory(machine);
      const mac = readFileSync(join(frames, 'eth0')).subarray(46, 52).toString('hex');
      expect(nics[0]?.lldp).toMatchObject({
        chassis: mac.replace(/(..)(?=.)/g, '$1:'),
        port_description: 'port7',
        system: 'leaf "4" $(reboot)',
      });
      await machine.remove();
    } finally {
      for (const child of pieces) child.kill();
      for (const space of [here, there]) spawnSync('ip', ['netns', 'del', space]);
    }
  });
});
