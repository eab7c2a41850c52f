/** What the installer says of an image that firmware would refuse, and what it makes of an ESP that came with one. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { OS_FOLDER } from '../src/index.ts';

const SIGNED = '/usr/lib/shim/shimx64.efi.signed';
const UNSIGNED = '/usr/lib/shim/shimx64.efi';

/** In busybox's shell, as on the machine, with a /mnt and a /run of its own. */
const apart = (script: string) => [
  '-m',
  'sh',
  '-c',
  'mount -t tmpfs tmpfs /mnt && mount -t tmpfs tmpfs /run && exec busybox sh -c "$0"',
  script,
];
const can =
  existsSync('/bin/busybox') &&
  [SIGNED, UNSIGNED].every((file) => existsSync(file)) &&
  spawnSync('unshare', apart('true')).status === 0;

const run = async (script: string): Promise<string> => {
  const whole = `
    say() { :; }
    stop() { echo "stop: $*"; exit 1; }
    . ${join(OS_FOLDER, 'image/loader.sh')}
    mkdir -p $esp/EFI/BOOT
    ${script}`;
  const { stdout, stderr } = await promisify(execFile)('unshare', apart(whole)).catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  return `${stdout}${stderr}`;
};

describe.skipIf(!can)('the boot loader of an image', () => {
  test.each([
    ['signed, and one of its kernels too', SIGNED, [UNSIGNED, SIGNED], 'fine\n'],
    ['signed, its kernels elsewhere', SIGNED, [], 'fine\n'],
    ['not signed', UNSIGNED, [SIGNED], expect.stringMatching(/^stop: .*boot loader.*shim-signed/)],
    ['no program at all', '/bin/busybox', [SIGNED], expect.stringMatching(/^stop: .*boot loader/)],
    ['signed, none of its kernels', SIGNED, [UNSIGNED], expect.stringMatching(/^stop: .*kernel/)],
  ])('%s', async (_, loader, kernels, said) => {
    const copies = kernels.map((file, index) => `cp ${file} /mnt/boot/vmlinuz-${index}`);
    const script = [
      `cp ${loader} $esp/EFI/BOOT/BOOTX64.EFI`,
      ...copies,
      'check_signed',
      'echo fine',
    ];
    expect(await run(script.join('\n'))).toEqual(said);
  });

  test('configurations that tell of the disk on which the image was made tell of this one', async () => {
    const said = await run(`
      mkdir -p $esp/EFI/debian $esp/EFI/vendor
      echo this >$esp/EFI/BOOT/grub.cfg
      echo that >$esp/EFI/debian/grub.cfg
      mend_configurations
      cat $esp/EFI/*/grub.cfg
      ls $esp/EFI/vendor`);
    expect(said).toBe('this\nthis\n');
  });

  test('without a configuration of its own, as unsigned GRUB is, nothing is changed', async () => {
    const said = await run(`
      mkdir -p $esp/EFI/debian
      echo that >$esp/EFI/debian/grub.cfg
      mend_configurations
      cat $esp/EFI/*/grub.cfg`);
    expect(said).toBe('that\n');
  });
});
