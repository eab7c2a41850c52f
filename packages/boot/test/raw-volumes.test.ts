/** Looking for the system of a raw image, the installer must not find one on another disk. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { OS_FOLDER } from '../src/index.ts';

const LVM = '/usr/sbin/lvm';
const folder = mkdtempSync(join(tmpdir(), 'hostwright-volumes-'));
const loops: string[] = [];
const loop = (name: string): string => {
  const path = join(folder, name);
  writeFileSync(path, '');
  truncateSync(path, 40 << 20);
  const made = spawnSync('losetup', ['-f', '--show', path], { encoding: 'utf8' });
  const device = made.status === 0 ? made.stdout.trim() : '';
  if (device !== '') loops.push(device);
  return device;
};
const can = existsSync(LVM) && process.getuid?.() === 0 && loop('probe') !== '';
afterAll(() => {
  for (const device of loops) spawnSync('losetup', ['-d', device]);
  rmSync(folder, { recursive: true, force: true });
});

const lvm = (...args: string[]): string =>
  execFileSync(LVM, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

describe.skipIf(!can)('volumes of several disks', () => {
  test('LVM is shown those of the disk of the plan only', () => {
    const [mine, other] = [loop('mine'), loop('other')];
    const names = { [mine]: `mine${process.pid}`, [other]: `other${process.pid}` };
    for (const [device, name] of Object.entries(names)) {
      // there may be no device mapper here: nothing is activated
      lvm('pvcreate', '-qq', '-y', '--driverloaded', 'n', device);
      lvm('vgcreate', '-qq', '--driverloaded', 'n', name, device);
    }
    const config = execFileSync(
      'sh',
      [
        '-c',
        `disk=${mine.slice('/dev/'.length)}; . ${join(OS_FOLDER, 'image/image.sh')}; this_disk_only`,
      ],
      { encoding: 'utf8' },
    );
    const shown = lvm('vgs', '--noheadings', '-o', 'vg_name', '--config', config).trim();
    expect(shown).toBe(names[mine]);
  });
});
