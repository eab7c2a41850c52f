import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createTestDatabase } from '@hostwright/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkKickstart } from '../src/template/check-kickstart.ts';
import {
  importOsTemplates,
  makeInstallPlan,
  OS_FOLDER,
  previewTemplateFile,
  readOsTemplate,
  type InstallPlan,
} from '../src/index.ts';

const NAMES = readdirSync(OS_FOLDER).sort();
const FILES = {
  preseed: 'preseed.cfg',
  autoinstall: 'user-data',
  kickstart: 'ks.cfg',
  image: 'template.yaml',
  erase: 'template.yaml',
} as const;
const scratch = mkdtempSync(join(tmpdir(), 'hostwright-templates-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const disk = (name: string, serial: string) => ({
  name,
  serial,
  bytes: 8e9,
  rotational: false,
  removable: false,
  signatures: [],
});

const planFor = async (name: string, layout: string, user: string): Promise<InstallPlan> => {
  const template = await readOsTemplate(OS_FOLDER, name);
  const made = makeInstallPlan({
    attribs: {
      hostname: 'web1.lab.test',
      layout,
      user,
      disk: { serials: layout === 'raid1' ? ['S1', 'S2'] : ['S1'] },
      ssh_keys: [`ssh-ed25519 ${'A'.repeat(68)} anna@desk`],
      packages: ['vim', 'htop'],
      ...(user === 'root' ? {} : { password_hash: `$6$salt$${'a'.repeat(86)}` }),
    },
    nodeName: 'web1',
    disks: [disk('sda', 'S1'), disk('sdb', 'S2')],
    template: { name, kind: template.kind, data: template.data },
    image:
      template.kind === 'image'
        ? { path: 'images/x.tar.gz', sha256: 'a'.repeat(64), size: 1 }
        : null,
  });
  if (!made.ok) throw new Error(JSON.stringify(made.refusals));
  return made.plan;
};

const BOOT_URL = 'http://10.0.0.1:8080';
const render = async (
  name: string,
  layout: string,
  user = 'anna',
  bootUrl = BOOT_URL,
): Promise<string> => {
  const plan = await planFor(name, layout, user);
  const file = (one: string) =>
    previewTemplateFile(join(OS_FOLDER, name), {
      file: one,
      plan,
      installUrl: `${bootUrl}/boot/v1/install/TOKEN`,
      bootUrl,
    });
  const text = await file(FILES[plan.kind]);
  if (plan.kind !== 'kickstart') return text;
  // as its %pre makes it
  const disks = await file('disks.ks');
  return text.replace(
    '%include /tmp/hostwright-disks.ks\n',
    disks.replaceAll('@DISK1@', 'sda').replaceAll('@DISK2@', 'sdb'),
  );
};

const AUTOINSTALL_KEYS =
  'version early-commands late-commands error-commands locale timezone keyboard identity ssh apt packages storage network proxy updates'.split(
    ' ',
  );

const CASES = NAMES.filter((name) => name !== 'image').flatMap((name) => [
  { name, layout: 'plain', user: 'root' },
  { name, layout: 'lvm', user: 'anna' },
  { name, layout: 'raid1', user: 'anna' },
]);

test('every operating system users know is there', () => {
  expect(NAMES).toEqual([
    'alma-10',
    'alma-9',
    'debian-12',
    'debian-13',
    'image',
    'rocky-10',
    'rocky-9',
    'ubuntu-22.04',
    'ubuntu-24.04',
    'ubuntu-26.04',
  ]);
});

test('importing the folders makes a boot environment for each, and twice changes nothing', async () => {
  await using database = await createTestDatabase();
  await importOsTemplates(database.db);
  await importOsTemplates(database.db);
  const envs = await database.db
    .selectFrom('boot_env')
    .select('name')
    .where('os_template', 'is not', null)
    .orderBy('name')
    .execute();
  expect(envs.map((env) => env.name)).toEqual(NAMES.map((name) => `${name}-install`).sort());
});

test.each(CASES)(
  '$name with $layout for $user is rendered whole',
  async ({ name, layout, user }) => {
    const text = await render(name, layout, user);
    expect(text).not.toMatch(/\{\{|\}\}|undefined/);
    expect(text).toContain('web1');
    expect(text).toContain('/boot/v1/install/TOKEN/finished');
  },
);

describe.skipIf(!existsSync('/usr/bin/debconf-set-selections'))('preseed', () => {
  test.each(CASES.filter(({ name }) => name.startsWith('debian')))(
    '$name with $layout for $user passes debconf',
    async ({ name, layout, user }) => {
      const path = join(scratch, `${name}-${layout}-${user}.cfg`);
      writeFileSync(path, await render(name, layout, user));
      execFileSync('debconf-set-selections', ['--checkonly', path], { stdio: 'pipe' });
    },
  );
});

test.each(CASES.filter(({ name }) => name.startsWith('ubuntu')))(
  '$name with $layout for $user is autoinstall YAML',
  async ({ name, layout, user }) => {
    const text = await render(name, layout, user);
    expect(text.startsWith('#cloud-config\n')).toBe(true);
    const parsed: unknown = parse(text);
    expect(parsed).toMatchObject({
      autoinstall: {
        version: 1,
        identity: { hostname: 'web1' },
        ssh: { 'authorized-keys': [expect.stringContaining('ssh-ed25519')] },
        packages: ['curl', 'vim', 'htop'],
      },
    });
    // the names of subiquity's own schema; it lets unknown ones pass in silence
    const { autoinstall } = parsed as { autoinstall: Record<string, object> };
    for (const key of Object.keys(autoinstall)) expect(AUTOINSTALL_KEYS).toContain(key);
    for (const key of Object.keys(autoinstall['identity'] ?? {}))
      expect(['realname', 'username', 'hostname', 'password']).toContain(key);
  },
);

describe.skipIf(!existsSync('/usr/bin/cloud-init'))('cloud-init', () => {
  // one run takes two seconds, and the three files differ in nothing that it looks at
  test.each([
    { name: 'ubuntu-22.04', layout: 'plain', user: 'root' },
    { name: 'ubuntu-24.04', layout: 'lvm', user: 'anna' },
    { name: 'ubuntu-26.04', layout: 'raid1', user: 'anna' },
  ])('takes $name with $layout for $user as cloud-config', async ({ name, layout, user }) => {
    const path = join(scratch, `user-data-${name}-${layout}`);
    writeFileSync(path, await render(name, layout, user));
    // cloud-init knows the key "autoinstall" only from 22.2 on, so its schema is not asked about more
    const said = execFileSync('cloud-init', ['schema', '--config-file', path], {
      stdio: 'pipe',
    }).toString();
    expect(said).toContain('Valid');
  });
});

describe('kickstart', () => {
  test.each(CASES.filter(({ name }) => /rocky|alma/.test(name)))(
    '$name with $layout for $user holds only what its version knows',
    async ({ name, layout, user }) => {
      const text = await render(name, layout, user);
      expect(checkKickstart(text, name.endsWith('-9') ? 9 : 10)).toEqual([]);
      expect(text).toMatch(
        layout === 'raid1'
          ? /^clearpart --all --initlabel --drives=sda,sdb$/m
          : /^clearpart --all --initlabel --drives=sda$/m,
      );
    },
  );

  test('the check finds what Anaconda would stop at, all of it', async () => {
    const good = await render('rocky-10', 'lvm');
    const find = (bad: string, version: 9 | 10 = 10) => checkKickstart(bad, version).join('\n');
    expect(find(`${good}\ninstall\n`)).toContain('no command install');
    expect(find(`${good}\nsyspurpose --role=x\n`)).toContain('no command syspurpose');
    expect(find(`${good}\nsyspurpose --role=x\n`, 9)).toBe('');
    expect(find(good.replace('--utc', '--isUtc'))).toContain('timezone has no option --isUtc');
    expect(find(good.replace('lang en_US.UTF-8', 'lang'))).toContain('lang takes 1 to 1 words');
    expect(find(good.replace(/%end\n$/, ''))).toContain('%post does not end');
    expect(find(good.replace('--drives=sda', '--drives=sda,sdb'))).toContain('clearpart --drives');
    expect(find(good.replace(/^rootpw.*$/m, ''))).toContain('rootpw is missing');
    expect(find(`${good}\nautopart\nreqpart --add-boot=1\n`)).toMatch(/more than once|no option/);
  });
});

test('the scripts that run on machines are shell that every shell can read', async () => {
  const plan = await planFor('debian-12', 'plain', 'anna');
  const late = await previewTemplateFile(join(OS_FOLDER, 'debian-12'), {
    file: 'late.sh',
    plan,
    installUrl: 'http://x/y',
    bootUrl: 'http://x',
  });
  writeFileSync(join(scratch, 'late.sh'), late);
  for (const path of [
    join(scratch, 'late.sh'),
    join(OS_FOLDER, 'image/install.sh'),
    join(OS_FOLDER, 'image/image.sh'),
    join(OS_FOLDER, 'image/loader.sh'),
    join(OS_FOLDER, '../installer/choose-disks.sh'),
    join(OS_FOLDER, '../installer-seed/initramfs-conf'),
    join(OS_FOLDER, '../installer-seed/place-nocloud'),
    join(OS_FOLDER, '../first-boot/first-boot.sh'),
  ])
    execFileSync('sh', ['-n', path], { stdio: 'pipe' });
});

test.each(['debian-12', 'debian-13'])(
  'the early callback of %s waits for a network without holding up the installer that brings it up',
  async (name) => {
    // nobody listens there: the callback goes on trying
    const text = await render(name, 'plain', 'root', 'http://127.0.0.1:9');
    const command = /^d-i preseed\/early_command string (.*)$/m.exec(text)?.[1] ?? '';
    expect(command).toContain('installer-started');
    // debconf's frontend reads the third file until nobody holds it any more
    const child = spawn('sh', ['-c', command], {
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const protocol = child.stdio[3];
    if (!(protocol instanceof Readable)) throw new Error('no third file');
    try {
      await once(protocol.resume(), 'end', { signal: AbortSignal.timeout(20_000) });
      // still there, beside the installer
      expect(process.kill(-(child.pid ?? 0), 0)).toBe(true);
    } finally {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    }
  },
);
