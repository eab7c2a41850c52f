/** What an installation leaves in UEFI firmware: network first, then the disk. With the real efibootmgr, on variables in a folder. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { OS_FOLDER } from '../src/index.ts';

const SCRIPT = join(OS_FOLDER, '../installer/boot-order.sh');
const GUID = '8be4df61-93ca-11d2-aa0d-00e098032b8c';
const folder = mkdtempSync(join(tmpdir(), 'hostwright-boot-order-'));
const loops: string[] = [];
afterAll(() => {
  for (const loop of loops) execFileSync('losetup', ['-d', loop]);
  rmSync(folder, { recursive: true });
});

const words = (...values: number[]): Buffer => Buffer.from(new Uint16Array(values).buffer);

/** A device path: of a card, of a file on a medium, or of nothing in particular. */
const PATHS = {
  network: Buffer.concat([words(0x0b03, 37), Buffer.from('525400000001', 'hex'), Buffer.alloc(27)]),
  medium: Buffer.concat([words(0x0404, 10), Buffer.from('\\x\0', 'utf16le')]),
} as const;

/** Firmware as the installer finds it; `entries` in the order of its numbers. */
const firmware = (
  name: string,
  options: {
    readonly entries: readonly {
      readonly label: string;
      readonly path: keyof typeof PATHS;
      readonly active?: boolean;
    }[];
    readonly order: readonly number[];
    readonly current?: number;
  },
): string => {
  const variables = join(folder, name);
  mkdirSync(variables);
  const write = (key: string, value: Buffer) =>
    writeFileSync(join(variables, `${key}-${GUID}`), Buffer.concat([words(7, 0), value]));
  options.entries.forEach(({ label, path, active = true }, at) => {
    const end = words(0xff7f, 4);
    const list = Buffer.concat([PATHS[path], end]);
    write(
      `Boot000${at}`,
      Buffer.concat([
        words(active ? 1 : 0, 0, list.length),
        Buffer.from(`${label}\0`, 'utf16le'),
        list,
      ]),
    );
  });
  write('BootOrder', words(...options.order));
  if (options.current !== undefined) write('BootCurrent', words(options.current));
  return `${variables}/`;
};

const ENTRIES = [
  { label: 'UEFI PXEv4', path: 'network' },
  { label: 'UEFI PXEv6', path: 'network' },
  { label: 'UEFI HTTPv4', path: 'network' },
  { label: 'UEFI Virtual CD', path: 'medium' },
] as const;

/** efibootmgr takes block devices only. */
const disk = (name: string, parts: string): string => {
  const path = join(folder, name);
  writeFileSync(path, '');
  truncateSync(path, 32 << 20);
  execFileSync('/usr/sbin/sfdisk', ['-q', path], { input: `label: gpt\n${parts}\n` });
  const loop = execFileSync('losetup', ['--show', '-f', path], { encoding: 'utf8' }).trim();
  loops.push(loop);
  return loop;
};
const ESP = 'size=8M, type=U';

const run = (shell: readonly string[], variables: string, commands: string): string =>
  execFileSync(shell[0] ?? '', [...shell.slice(1), '-uc', `. ${SCRIPT}; ${commands}`], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], EFIVARFS_PATH: variables },
  });

/** Labels in the order in which they are tried. */
const tried = (variables: string): readonly string[] => {
  const text = execFileSync('efibootmgr', [], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], EFIVARFS_PATH: variables },
  });
  const order = /^BootOrder: (.*)$/m.exec(text)?.[1]?.split(',') ?? [];
  // a variable that became shorter keeps its old end in a plain file
  return [...new Set(order)].map(
    (number) => new RegExp(String.raw`^Boot${number}\*? (.*)$`, 'm').exec(text)?.[1] ?? 'gone',
  );
};

const SHELLS = [
  ['/bin/sh'],
  ...(existsSync('/bin/busybox') ? [['/bin/busybox', 'sh']] : []),
] as const;

const canRun =
  process.getuid?.() === 0 &&
  existsSync('/usr/bin/efibootmgr') &&
  spawnSync('losetup', ['-f']).status === 0;

describe.skipIf(!canRun)('boot order', () => {
  for (const shell of SHELLS) {
    const name = basename(shell[0]);

    test(`${name}: the card it came by stays first, its disk is next, an older installation's entry is gone`, () => {
      const variables = firmware(`order-${name}`, {
        entries: ENTRIES,
        order: [3, 0, 1, 2],
        current: 0,
      });
      const one = disk(`one-${name}`, ESP);
      for (let again = 0; again < 2; again++) {
        expect(run(shell, variables, `enter_disks ${one} "$(esp_of ${one})"; network_first`)).toBe(
          '',
        );
        expect(tried(variables)).toEqual([
          'UEFI PXEv4',
          'Hostwright disk',
          'UEFI Virtual CD',
          'UEFI PXEv6',
          'UEFI HTTPv4',
        ]);
      }
    });

    test(`${name}: both disks of a mirror, the first of them first`, () => {
      const variables = firmware(`mirror-${name}`, { entries: ENTRIES, order: [0, 1], current: 0 });
      const [one, two] = [
        disk(`mirror-one-${name}`, ESP),
        disk(`mirror-two-${name}`, `size=8M\n${ESP}`),
      ];
      expect(run(shell, variables, `esp_of ${one}; esp_of ${two}`)).toBe('1\n2\n');
      expect(run(shell, variables, `enter_disks ${one} 1 ${two} 2; network_first`)).toBe('');
      expect(tried(variables)).toEqual([
        'UEFI PXEv4',
        'Hostwright disk',
        'Hostwright second disk',
        'UEFI PXEv6',
      ]);
      const text = run(shell, variables, 'boot_entries');
      expect(text).toMatch(/Hostwright disk.*HD\(1,GPT.*BOOTX64\.EFI/);
      expect(text).toMatch(/Hostwright second disk.*HD\(2,GPT.*BOOTX64\.EFI/);
    });
  }

  test('a machine that was started from a medium for once does not start from it again', () => {
    const variables = firmware('medium', { entries: ENTRIES, order: [0, 1], current: 3 });
    const one = disk('medium-disk', ESP);
    run(['/bin/sh'], variables, `enter_disks ${one} 1; network_first`);
    expect(tried(variables)).toEqual(['UEFI PXEv4', 'Hostwright disk', 'UEFI PXEv6']);
  });

  test('an older entry goes also where somebody has switched it off', () => {
    const variables = firmware('inactive', {
      entries: [
        { label: 'UEFI PXEv4', path: 'network' },
        { label: 'Hostwright disk', path: 'medium', active: false },
      ],
      order: [1, 0],
      current: 0,
    });
    const one = disk('inactive-disk', ESP);
    expect(run(['/bin/sh'], variables, `enter_disks ${one} 1; network_first`)).toBe('');
    expect(run(['/bin/sh'], variables, 'boot_entries').match(/Hostwright disk/g)).toHaveLength(1);
  });

  test('firmware that does not say what it was started by keeps its first card first', () => {
    const variables = firmware('silent', { entries: ENTRIES, order: [3, 1, 0] });
    expect(run(['/bin/sh'], variables, 'network_first')).toBe('');
    expect(tried(variables)).toEqual(['UEFI PXEv6', 'UEFI Virtual CD', 'UEFI PXEv4']);
  });

  test('what an installer of a distribution put first comes after the network', () => {
    const variables = firmware('installer', {
      entries: [...ENTRIES, { label: 'debian', path: 'medium' }],
      order: [4, 0, 1],
      current: 0,
    });
    run(['/bin/sh'], variables, 'network_first');
    expect(tried(variables)).toEqual(['UEFI PXEv4', 'debian', 'UEFI PXEv6']);
  });

  test('firmware without entries, and a disk without a partition for it, are said and end nothing', () => {
    expect(run(['/bin/sh'], join(folder, 'none'), 'enter_disks /dev/null 1; network_first')).toBe(
      'the firmware tells no boot entries\n',
    );
    const variables = firmware('bare', { entries: ENTRIES, order: [0], current: 0 });
    const bare = disk('bare-disk', 'size=8M');
    expect(
      run(['/bin/sh'], variables, `enter_disks ${bare} "$(esp_of ${bare})"; network_first`),
    ).toBe(`${bare} has no partition for firmware\n`);
    expect(tried(variables)).toEqual(['UEFI PXEv4']);
  });
});
