/**
 * Ubuntu's answers without an address on the command line: the hooks of the seed, run by the real
 * functions of initramfs-tools in a root of their own, and found by cloud-init's real ds-identify.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { seedHooks } from '../src/boot/answer-files.ts';
import { importOsTemplates, listOsTemplates, OS_FOLDER, readOsTemplate } from '../src/index.ts';
import { createTestDatabase } from '@hostwright/testkit';

const FUNCTIONS = '/usr/share/initramfs-tools/scripts/functions';
const IDENTIFY = '/usr/lib/cloud-init/ds-identify';
const canChroot = process.getuid?.() === 0 && existsSync('/bin/busybox') && existsSync(FUNCTIONS);

let root: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'hostwright-initramfs-'));
  mkdirSync(join(root, 'bin'));
  cpSync('/bin/busybox', join(root, 'bin/busybox'), { dereference: true });
  for (const name of ['sh', 'mkdir', 'cp', 'chmod', 'rm', 'cat'])
    symlinkSync('busybox', join(root, 'bin', name));
  const put = (path: string, content: string, mode = 0o644) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content, { mode });
  };
  put('etc/hostwright/nocloud/user-data', '#cloud-config\nautoinstall: {version: 1}\n', 0o600);
  put('etc/hostwright/nocloud/meta-data', 'instance-id: x\n');
  for (const file of await seedHooks()) put(file.path, file.content, file.mode);
  // as casper's own scripts and their order lie in the installer's initrd
  put('scripts/casper-bottom/25configure_init', '#!/bin/sh\necho configured >/configured\n', 0o755);
  put(
    'scripts/casper-bottom/ORDER',
    '/scripts/casper-bottom/25configure_init "$@"\n[ -e /conf/param.conf ] && . /conf/param.conf\n',
  );
  mkdirSync(join(root, 'root'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const seed = (target: string, file: string) =>
  join(root, target, 'var/lib/cloud/seed/nocloud', file);

describe.skipIf(!canChroot)('the seed', () => {
  test('casper copies the answers into the installer, after its own scripts', () => {
    cpSync(FUNCTIONS, join(root, 'scripts/functions'));
    const init =
      '. /conf/conf.d/hostwright; . /scripts/functions; rootmnt=/root; export rootmnt; run_scripts /scripts/casper-bottom';
    execFileSync('chroot', [root, '/bin/sh', '-c', init], { stdio: 'pipe' });
    expect(existsSync(join(root, 'configured'))).toBe(true);
    expect(readFileSync(seed('root', 'user-data'), 'utf8')).toContain('autoinstall');
    expect(statSync(seed('root', 'user-data')).mode & 0o777).toBe(0o600);
    expect(existsSync(join(root, 'etc/hostwright/nocloud'))).toBe(false);
  });

  test('an initrd without casper is left as it is', () => {
    rmSync(join(root, 'scripts'), { recursive: true });
    execFileSync('chroot', [root, '/bin/sh', '-c', '. /conf/conf.d/hostwright'], { stdio: 'pipe' });
    expect(existsSync(join(root, 'scripts'))).toBe(false);
  });

  test('dracut sources the same hook', () => {
    const hook =
      'NEWROOT=/sysroot; for job in /usr/lib/dracut/hooks/pre-pivot/*.sh; do . $job; done; echo on';
    const { stdout } = spawnSync('chroot', [root, '/bin/sh', '-c', hook]);
    expect(stdout.toString()).toBe('on\n');
    expect(readFileSync(seed('sysroot', 'user-data'), 'utf8')).toContain('autoinstall');
  });
});

test.skipIf(!existsSync(IDENTIFY))(
  'cloud-init finds it there without a word on the command line',
  () => {
    const target = join(root, 'root');
    mkdirSync(dirname(seed('root', 'x')), { recursive: true });
    for (const file of ['user-data', 'meta-data'])
      cpSync(join(root, 'etc/hostwright/nocloud', file), seed('root', file));
    mkdirSync(join(target, 'run/cloud-init'), { recursive: true });
    mkdirSync(join(target, 'proc/1'), { recursive: true });
    mkdirSync(join(target, 'etc/cloud'), { recursive: true });
    writeFileSync(join(target, 'proc/cmdline'), 'autoinstall cloud-config-url=/dev/null\n');
    appendFileSync(
      join(target, 'etc/cloud/ds-identify.cfg'),
      'policy: search,found=all,maybe=none,notfound=disabled\n',
    );
    const { stderr } = spawnSync('sh', [IDENTIFY, '--force'], {
      env: { PATH: process.env['PATH'] ?? '', PATH_ROOT: target, DEBUG_LEVEL: '0' },
    });
    const found = existsSync(join(target, 'run/cloud-init/cloud.cfg'))
      ? readFileSync(join(target, 'run/cloud-init/cloud.cfg'), 'utf8')
      : stderr.toString();
    expect(found).toContain('NoCloud');
  },
);

test('no version has an address with a token, or any secret, on its command line', async () => {
  for (const name of ['ubuntu-22.04', 'ubuntu-24.04', 'ubuntu-26.04']) {
    const { boot } = await readOsTemplate(OS_FOLDER, name);
    expect(boot.cmdline).toContain(`url={{boot_url}}/boot/v1/files/${name}/live-server.iso`);
    expect(boot.cmdline).not.toMatch(/install_url|token|seed|ds=/);
  }
  await using database = await createTestDatabase();
  await importOsTemplates(database.db);
  const ubuntu = (await listOsTemplates(database.db)).find(({ name }) => name === 'ubuntu-24.04');
  // without it the installer boots and finds no root
  expect(ubuntu?.missing).toContain('ubuntu-24.04/live-server.iso');
});
