/**
 * What the discovery image finds out on a machine: what lies on its disk, which switch port it is
 * plugged into (a real lldpd at the other end of the cable), and where its BMC is (ipmi_sim behind
 * QEMU's KCS interface).
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { discovered, explained, LONG, longLab } from './look.ts';
import { createLabSite, type LabSite } from './site.ts';

const KCS_PORT = 19_002;

const LAN_PROGRAM = `#!/bin/sh
# called by ipmi_sim: what the BMC's network card is set to
while [ "$1" != get ] && [ "$1" != set ]; do shift; done
shift
for name in "$@"; do
  case $name in
    ip_addr) echo ip_addr:192.0.2.55 ;;
    mac_addr) echo mac_addr:02:00:00:00:be:ef ;;
    ip_addr_src) echo ip_addr_src:static ;;
    subnet_mask) echo subnet_mask:255.255.255.0 ;;
    *gw_ip_addr) echo "$name:192.0.2.1" ;;
    *mac_addr) echo "$name:02:00:00:00:00:01" ;;
    *) echo "$name:0" ;;
  esac
done
`;

describe.skipIf(!longLab() || !existsSync('/usr/sbin/lldpd'))('inventory', () => {
  let site: LabSite;
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    site = await createLabSite();
  }, 600_000);
  afterAll(async () => {
    for (const child of children) child.kill();
    await site.close();
  }, 300_000);

  const inside = (...words: readonly string[]): void => {
    const [program = '', ...args] = [...site.rack.within, ...words];
    children.push(spawn(program, args, { stdio: 'ignore' }));
  };

  const startBmc = (): void => {
    const folder = join(site.home, 'kcs');
    mkdirSync(join(folder, 'state'), { recursive: true });
    writeFileSync(join(folder, 'lan'), LAN_PROGRAM, { mode: 0o755 });
    writeFileSync(
      join(folder, 'lan.conf'),
      `name "kcs"
set_working_mc 0x20
  startlan 1
    addr 127.0.0.1 19623
    priv_limit admin
    allowed_auths_admin none md5 straight
    guid a123456789abcdefa123456789abcdef
    lan_config_program "${join(folder, 'lan')}"
  endlan
  serial 15 127.0.0.1 ${KCS_PORT} codec VM
  startnow false
`,
    );
    writeFileSync(
      join(folder, 'sim.emu'),
      'mc_setbmc 0x20\nmc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr\nmc_enable 0x20\n',
    );
    const [configuration, commands] = [join(folder, 'lan.conf'), join(folder, 'sim.emu')];
    inside(
      'ipmi_sim',
      '-c',
      configuration,
      '-f',
      commands,
      '-s',
      join(folder, 'state'),
      '-n',
      '-d',
    );
  };

  test('disk signatures, LLDP neighbour and BMC address', LONG, async () => {
    startBmc();
    const machine = await site.machine({
      name: 'full',
      number: 64,
      devices: [
        '-chardev',
        `socket,id=ipmi0,host=127.0.0.1,port=${KCS_PORT},reconnect=1`,
        '-device',
        'ipmi-bmc-extern,id=bmc0,chardev=ipmi0',
        '-device',
        'isa-ipmi-kcs,bmc=bmc0',
      ],
    });
    // an old file system with a label that wants to be more than text
    const raw = join(site.home, 'old.raw');
    execFileSync('mke2fs', ['-q', '-F', '-t', 'ext4', '-L', '"$(reboot)', raw, '64M']);
    const [disk = ''] = machine.disks;
    execFileSync('qemu-img', ['convert', '-O', 'qcow2', raw, disk]);
    execFileSync('qemu-img', ['resize', '-q', disk, '4G']);
    const socket = join(site.home, 'lldpd');
    chmodSync(site.home, 0o755);
    mkdirSync('/run/lldpd', { recursive: true });
    inside('lldpd', '-d', '-u', socket, '-I', 'tap64x0', '-S', 'a switch of the lab');
    const tell = (...words: string[]) =>
      spawnSync('lldpcli', ['-u', socket, ...words]).status === 0;
    const known = () =>
      spawnSync('lldpcli', ['-u', socket, 'show', 'interfaces'], { encoding: 'utf8' }).stdout;
    await machine.start();
    // an interval that is set before it knows its port stops it from sending
    await eventually(() => known().includes('tap64x0'), { what: 'lldpd', limitSeconds: 120 });
    tell('configure', 'lldp', 'tx-interval', '2');
    tell('configure', 'system', 'hostname', 'leaf-64');

    const node = await discovered(site, machine);
    expect(node.discovery).toMatchObject({
      disks: [{ serial: 'DSK64', signatures: ['ext4 "$(reboot)'] }],
      bmc: { kind: 'ipmi', address: '192.0.2.55', mac: '02:00:00:00:be:ef', channel: 1 },
    });
    // heard after the first report, and told by itself
    const heard = await explained(
      machine,
      eventually(
        async () => {
          const { discovery } = await site.database.db
            .selectFrom('node')
            .select('discovery')
            .where('id', '=', node.id)
            .executeTakeFirstOrThrow();
          const { nics } = discovery as { nics: readonly { lldp: unknown }[] };
          return nics.find((nic) => nic.lldp !== null)?.lldp;
        },
        { limitSeconds: 300, what: 'a neighbour' },
      ),
    );
    expect(heard).toMatchObject({ system: 'leaf-64', port_description: 'tap64x0' });
    await machine.cut();
  });
});
