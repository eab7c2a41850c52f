/**
 * A machine of the rack: QEMU without hardware virtualisation, disks, NICs, BIOS or UEFI. Its command
 * line is a file, so that a virtual BMC can start the same machine.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess } from './end-process.ts';
import type { Rack } from './rack.ts';
import { runCommand } from './run-command.ts';

export interface MachineOptions {
  readonly name: string;
  /** Makes MAC, UUID and serial. */
  readonly number: number;
  readonly firmware?: 'bios' | 'uefi' | 'secure';
  readonly memory?: number;
  readonly cpus?: number;
  /** One disk of so many GiB each. */
  readonly disks?: readonly number[];
  readonly diskBus?: 'virtio' | 'scsi';
  readonly nics?: number;
  readonly nicModel?: string;
  /** More words of QEMU's command line, for hardware that few machines have. */
  readonly devices?: readonly string[];
  /** What the firmware tries first, the other comes next; or what its own boot entries say (UEFI). */
  readonly bootFirst?: BootFirst | 'entries';
}

export type BootFirst = 'network' | 'disk';

export interface StartOptions {
  /** The NIC that its firmware boots from. */
  readonly bootNic?: number;
  /** For this boot only, as a BMC's one-time boot device. */
  readonly once?: BootFirst;
}

export interface LabMachine {
  readonly name: string;
  readonly macs: readonly string[];
  readonly uuid: string;
  readonly serial: string;
  readonly folder: string;
  readonly disks: readonly string[];
  start(options?: StartOptions): Promise<void>;
  /** As a power cut: nothing is written back. */
  cut(): Promise<void>;
  isOn(): boolean;
  console(): string;
  /** Shell scripts that start it in the foreground, for a BMC: as ever, or from one device for once. */
  readonly startScripts: Readonly<Record<'usual' | BootFirst, string>>;
}

const hex = (value: number): string => value.toString(16).padStart(2, '0');

const FIRMWARE = {
  uefi: ['/usr/share/OVMF/OVMF_CODE_4M.fd', '/usr/share/OVMF/OVMF_VARS_4M.fd'],
  secure: ['/usr/share/OVMF/OVMF_CODE_4M.ms.fd', '/usr/share/OVMF/OVMF_VARS_4M.ms.fd'],
} as const;

export const addMachine = async (
  rack: Rack,
  home: string,
  options: MachineOptions,
): Promise<LabMachine> => {
  const { name, number } = options;
  const firmware = options.firmware ?? 'bios';
  const folder = join(home, name);
  mkdirSync(folder, { recursive: true });
  const pidFile = join(folder, 'pid');
  const macs = Array.from(
    { length: options.nics ?? 1 },
    (_, index) => `52:54:00:77:${hex(index)}:${hex(number)}`,
  );
  const uuid = `00000000-0000-4000-8000-0000000000${hex(number)}`;
  const serial = `HWLAB${String(number).padStart(4, '0')}`;
  for (let index = 0; index < macs.length; index++) await rack.addTap(`tap${number}x${index}`);
  const sizes = options.disks ?? [4];
  const disks = sizes.map((_, index) => join(folder, `disk${index}.qcow2`));
  for (const [index, disk] of disks.entries()) {
    if (!existsSync(disk))
      await runCommand(['qemu-img', 'create', '-q', '-f', 'qcow2', disk, `${sizes[index]}G`]);
  }
  const vars = join(folder, 'vars.fd');
  if (firmware !== 'bios' && !existsSync(vars)) copyFileSync(FIRMWARE[firmware][1], vars);

  /** QEMU tells UEFI firmware an order that goes before its entries, if it is told any. */
  const place = (first: BootFirst | 'entries', index: number): string =>
    first === 'entries' ? '' : `,bootindex=${index}`;

  const commandLine = (bootNic: number, first: BootFirst | 'entries'): string[] => [
    ...rack.within,
    'qemu-system-x86_64',
    '-name',
    name,
    '-M',
    firmware === 'bios' ? 'pc' : firmware === 'secure' ? 'q35,smm=on' : 'q35',
    '-accel',
    'tcg,thread=multi',
    '-cpu',
    'max',
    '-smp',
    String(options.cpus ?? 1),
    '-m',
    String(options.memory ?? 512),
    ...(firmware === 'secure'
      ? [
          '-global',
          'driver=cfi.pflash01,property=secure,value=on',
          '-global',
          'ICH9-LPC.disable_s3=1',
        ]
      : []),
    ...(firmware === 'bios'
      ? []
      : [
          '-drive',
          `if=pflash,format=raw,unit=0,readonly=on,file=${FIRMWARE[firmware][0]}`,
          '-drive',
          `if=pflash,format=raw,unit=1,file=${vars}`,
        ]),
    '-uuid',
    uuid,
    '-smbios',
    `type=1,manufacturer=Hostwright,product=Lab,serial=${serial}`,
    ...macs.flatMap((mac, index) => [
      '-netdev',
      `tap,id=n${index},ifname=tap${number}x${index},script=no,downscript=no`,
      '-device',
      `${options.nicModel ?? 'virtio-net-pci'},netdev=n${index},mac=${mac}${index === bootNic ? place(first, first === 'network' ? 1 : 90) : ''}${firmware === 'bios' ? '' : ',romfile='}`,
    ]),
    ...(options.diskBus === 'scsi' ? ['-device', 'virtio-scsi-pci'] : []),
    ...disks.flatMap((disk, index) => [
      '-drive',
      `if=none,id=d${index},file=${disk},format=qcow2,cache=unsafe`,
      '-device',
      `${options.diskBus === 'scsi' ? 'scsi-hd' : 'virtio-blk-pci'},drive=d${index},serial=DSK${number}${index === 0 ? '' : `N${index}`}${place(first, 2 + index)}`,
    ]),
    ...(options.devices ?? []),
    '-device',
    'virtio-rng-pci',
    '-display',
    'none',
    '-serial',
    `file:${join(folder, 'console.log')}`,
    '-monitor',
    'none',
    '-qmp',
    `unix:${join(folder, 'qmp')},server,nowait`,
  ];

  const usual = options.bootFirst ?? 'network';
  const writeScript = (file: string, first: BootFirst | 'entries'): string => {
    const path = join(folder, file);
    const words = commandLine(0, first).map((word) => `'${word}'`);
    writeFileSync(
      path,
      `#!/bin/sh\nexec ${words.join(' ')} >/dev/null 2>'${folder}/qemu.err' </dev/null\n`,
      { mode: 0o755 },
    );
    return path;
  };
  const startScripts = {
    usual: writeScript('start.sh', usual),
    network: writeScript('start-network.sh', 'network'),
    disk: writeScript('start-disk.sh', 'disk'),
  };

  const pid = (): number | null => {
    const text = existsSync(pidFile) ? readFileSync(pidFile, 'utf8').trim() : '';
    if (!/^\d+$/.test(text)) return null;
    try {
      return readFileSync(`/proc/${text}/cmdline`, 'utf8').includes(uuid) ? Number(text) : null;
    } catch {
      return null;
    }
  };

  return {
    name,
    macs,
    uuid,
    serial,
    folder,
    disks,
    startScripts,
    isOn: () => pid() !== null,
    start: async ({ bootNic = 0, once = usual } = {}) => {
      if (pid() !== null) return;
      // QEMU empties it a moment later: until then it would tell of the last boot
      rmSync(join(folder, 'console.log'), { force: true });
      const command = ['nice', '-n', '10', ...commandLine(bootNic, once)];
      const child = spawn(command[0] ?? '', command.slice(1), { detached: true, stdio: 'ignore' });
      child.unref();
      writeFileSync(pidFile, String(child.pid ?? ''));
    },
    cut: async () => {
      const running = pid();
      if (running !== null) await endProcess(running);
      rmSync(pidFile, { force: true });
    },
    console: () =>
      existsSync(join(folder, 'console.log'))
        ? readFileSync(join(folder, 'console.log'), 'utf8')
        : '',
  };
};
