/**
 * Machines for the bars of boot and image: a rack with Hostwright in it, and the same rack served by
 * hand - a static iPXE script and a shell init - for the same kernel, drivers and machine.
 */
import { execFileSync } from 'node:child_process';
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDnsmasq, stopDnsmasq } from '@hostwright/boot';
import type { Db } from '@hostwright/engine';
import { addMachine, buildRack, type LabMachine, type MachineOptions } from '@hostwright/providers';
import { buildDiscoveryImage } from '@hostwright/server';

export interface HandMadeRack {
  machine(options: MachineOptions): Promise<LabMachine>;
  /** The next report of a machine, in the words of its init. */
  nextReport(): Promise<string>;
  close(): Promise<void>;
}

export const openFiles = async (home: string): Promise<string> => {
  const files = join(home, 'files');
  await buildDiscoveryImage(files);
  return files;
};

/** A small initrd beside the big one: `/init.hand` is started instead of Hostwright's init. */
const packInit = (home: string, script: string): string => {
  const folder = mkdtempSync(join(home, 'init-'));
  writeFileSync(join(folder, 'init.hand'), script, { mode: 0o755 });
  const out = join(home, 'hand.cpio');
  execFileSync('sh', ['-c', `cd '${folder}' && find . | cpio -o -H newc --quiet >'${out}'`]);
  rmSync(folder, { recursive: true });
  return out;
};

const POOL = { first: '192.168.77.100', last: '192.168.77.250', netmask: '255.255.255.0' };

export const openHandMadeRack = async (options: {
  readonly home: string;
  readonly files: string;
  readonly init: string;
}): Promise<HandMadeRack> => {
  const { home, files } = options;
  mkdirSync(home, { recursive: true });
  const rack = await buildRack({ home });
  const base = `http://${rack.address}:8080`;
  const script = [
    '#!ipxe',
    `kernel ${base}/discovery/vmlinuz initrd=initrd.img initrd=hand.cpio rdinit=/init.hand console=tty0 console=ttyS0 quiet panic=30`,
    `initrd --name initrd.img ${base}/discovery/initrd.img`,
    `initrd --name hand.cpio ${base}/hand.cpio`,
    'boot',
    '',
  ].join('\n');
  const extra = packInit(home, options.init);
  let told = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (request.method === 'POST') {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.end('ok\n');
        told.resolve(Buffer.concat(chunks).toString());
      });
    } else if (path === '/boot/v1/ipxe') response.end(script);
    else {
      const file = path === '/hand.cpio' ? extra : join(files, path);
      response.setHeader('content-length', statSync(file).size);
      createReadStream(file, { highWaterMark: 1 << 18 }).pipe(response);
    }
  });
  const socket = await rack.openSocket(8080);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const folder = join(home, 'dnsmasq');
  await startDnsmasq(
    {
      folder,
      interfaces: [rack.bridge],
      dnsPort: 53,
      bootUrl: base,
      pools: [POOL],
      routerAdvertisements: [rack.prefix],
    },
    rack.within,
  );
  const machines: LabMachine[] = [];
  return {
    machine: async (wanted) => {
      const machine = await addMachine(rack, join(home, 'machines'), wanted);
      machines.push(machine);
      return machine;
    },
    nextReport: async () => {
      const report = await told.promise;
      told = Promise.withResolvers<string>();
      return report;
    },
    close: async () => {
      for (const machine of machines) await machine.cut();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await stopDnsmasq(folder);
      await rack.remove();
    },
  };
};

/** What every init by hand does first: devices, the drivers of this machine, an address. */
export const HAND_START = `#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /run /tmp
/usr/sbin/modprobe -a virtio_pci virtio_net virtio_blk virtio_rng af_packet
ip link set lo up
ip link set eth0 up
udhcpc -i eth0 -q -n -t 30 -T 1 -S -s /usr/share/udhcpc/default.script >/dev/null 2>&1
`;

/** What a machine has used of the processor: nearly the same on a busy computer as on a quiet one. */
export const cpuSeconds = (machine: LabMachine): number => {
  const pid = readFileSync(join(machine.folder, 'pid'), 'utf8').trim();
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  // clock ticks are hundredths of a second on every Linux this runs on
  return (user + system) / 100;
};

export const middle = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

const LIMIT_SECONDS = 900;

/** Looks often: what is measured must not wait for the one who measures. */
export const until = async <Value>(
  look: () => Promise<Value | undefined | false>,
): Promise<Value> => {
  const limit = performance.now() + LIMIT_SECONDS * 1000;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > limit) throw new Error(`nothing came within ${LIMIT_SECONDS} s`);
    await sleep(20);
  }
};

/** It has joined: there is a node for it. */
export const untilRegistered = (db: Db, uuid: string): Promise<{ id: number; name: string }> =>
  until(() =>
    db.selectFrom('node').select(['id', 'name']).where('system_uuid', '=', uuid).executeTakeFirst(),
  );

/** Its inventory is in, too. */
export const untilDiscovered = (db: Db, uuid: string): Promise<{ id: number; name: string }> =>
  until(() =>
    db
      .selectFrom('node')
      .select(['id', 'name'])
      .where('system_uuid', '=', uuid)
      .where('discovered_at', 'is not', null)
      .executeTakeFirst(),
  );
