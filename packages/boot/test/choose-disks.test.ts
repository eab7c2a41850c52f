/**
 * Installers of distributions erase the disks of the plan, under whatever names these have in their
 * kernel: sda of the discovery image may be sdb there, and then sda is somebody's data.
 */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeInstallPlan, OS_FOLDER, previewTemplateFile } from '../src/index.ts';
import { openInstallWorld } from './install-world.ts';

const SCRIPT = join(OS_FOLDER, '../installer/choose-disks.sh');
const folder = mkdtempSync(join(tmpdir(), 'hostwright-choose-'));
let world: Awaited<ReturnType<typeof openInstallWorld>>;
let server: Server;
beforeAll(async () => {
  world = await openInstallWorld();
  server = createServer((request, response) => {
    void world.ask(request.url ?? '').then(({ status, text }) => {
      response.writeHead(status).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A /sys with disks of 8 GB. */
const sysWith = (name: string, disks: Readonly<Record<string, string>>): string => {
  const sys = join(folder, name);
  for (const [disk, serial] of Object.entries(disks)) {
    mkdirSync(join(sys, 'block', disk, 'device'), { recursive: true });
    writeFileSync(join(sys, 'block', disk, 'size'), '15625000\n');
    // as SCSI tells it: four bytes of binary, and blanks
    writeFileSync(
      join(sys, 'block', disk, 'device/vpd_pg80'),
      Buffer.from(`\0\x80\0\x14   ${serial} `, 'latin1'),
    );
    writeFileSync(join(sys, 'block', disk, 'device/wwid'), `naa.${serial}\n`);
  }
  return sys;
};

const begin = async () => {
  const machine = await world.setUp(undefined, { os: 'rocky-9' });
  await machine.step();
  const token = await world.boot(machine);
  // listen() on TCP gives an object
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/boot/v1/install/${token}`;
  const choose = async (sys: string, command = `sh ${SCRIPT} ${url}`) =>
    promisify(execFile)('sh', ['-c', command], {
      env: { ...process.env, SYS: sys, PATH: `${folder}:${process.env['PATH'] ?? ''}` },
    }).then(
      ({ stdout }) => stdout,
      () => 'failed',
    );
  return { machine, url, choose };
};

test('the disk of the plan is found by its serial under another name, and erased with leave', async () => {
  const { machine, choose } = await begin();
  const sys = sysWith('swapped', { vda: 'somebody', vdb: machine.serial });
  expect(await choose(sys)).toBe('vdb\n');
  const { rows } = await world.database.pool.query<{ granted: boolean }>(
    'select wipe_granted_at is not null as granted from os_install where run_id = $1',
    [machine.runId],
  );
  expect(rows).toEqual([{ granted: true }]);
});

test.each([
  ['is not there', () => ({ vda: 'somebody' })],
  ['is there twice', (serial: string) => ({ vda: serial, vdb: serial })],
])(
  "a disk that %s is nobody's: no leave is asked for, and the reason is told",
  async (name, disks) => {
    const { machine, choose } = await begin();
    expect(await choose(sysWith(name, disks(machine.serial)))).toBe('failed');
    expect(await machine.phase()).toMatchObject({
      phase: 'failed',
      error: expect.stringContaining(`no disk or several have serial ${machine.serial}`),
    });
  },
);

test("Debian's installer is told the names of here, for each layout", async () => {
  const { machine, url, choose } = await begin();
  const sys = sysWith('debian', { sda: 'somebody', nvme0n1: machine.serial });
  const disk = { bytes: 8e9, rotational: false, removable: false, signatures: [] };
  const made = makeInstallPlan({
    attribs: {},
    nodeName: 'web1',
    disks: [{ ...disk, name: 'sda', serial: machine.serial }],
    template: { name: 'debian-12', kind: 'preseed', data: {} },
    image: null,
  });
  if (!made.ok) throw new Error('no plan');
  const told = join(folder, 'told');
  writeFileSync(join(folder, 'debconf-set'), `#!/bin/sh\necho "$@" >>${told}\n`);
  chmodSync(join(folder, 'debconf-set'), 0o755);
  const text = await previewTemplateFile(join(OS_FOLDER, 'debian-12'), {
    file: 'disks.sh',
    plan: made.plan,
    installUrl: url,
    bootUrl: 'http://x',
  });
  writeFileSync(join(folder, 'disks.sh'), text.replace('/tmp/choose-disks', SCRIPT));
  await choose(sys, `sh ${join(folder, 'disks.sh')}`);
  expect(readFileSync(told, 'utf8')).toBe(
    'partman-auto/disk /dev/nvme0n1\ngrub-installer/bootdev /dev/nvme0n1\n',
  );
});

test('no answer file names a disk by what it was called when it was planned', async () => {
  for (const os of ['debian-12', 'debian-13', 'rocky-9', 'rocky-10', 'alma-9', 'alma-10'])
    for (const file of ['preseed.cfg', 'ks.cfg', 'disks.ks', 'disks.sh']) {
      let text = '';
      try {
        text = readFileSync(join(OS_FOLDER, os, `${file}.tmpl`), 'utf8');
      } catch {
        continue;
      }
      expect(`${os}/${file}: ${text}`).not.toMatch(/\{\{disk2?(_name)?\}\}/);
    }
});

test.each(['$(reboot)', '*', 'S1; reboot', 'S1"x', 'a\nb'])(
  'a disk with the serial %j is in no plan',
  (serial) => {
    const made = makeInstallPlan({
      attribs: {},
      nodeName: 'web1',
      disks: [
        { name: 'sda', serial, bytes: 8e9, rotational: false, removable: false, signatures: [] },
      ],
      template: { name: 'rocky-9', kind: 'kickstart', data: {} },
      image: null,
    });
    expect(made.ok ? [] : made.refusals).toMatchObject([{ path: 'disk' }]);
  },
);
