/** The eraser's own functions, on a file instead of a disk. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { makeErasePlan } from '../src/install/plan-erase.ts';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('../erase/erase.sh', import.meta.url));
const MIB = 1 << 20;
const folder = mkdtempSync(join(tmpdir(), 'hostwright-erase-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  [40 * MIB + 1536, 16],
  [5 * MIB, 5],
])(
  'a disk of %i bytes has zeros at both ends, to its last byte, and keeps its size',
  async (bytes, ends) => {
    const disk = join(folder, `disk-${bytes}`);
    writeFileSync(disk, Buffer.alloc(bytes, 0xaa));
    // `set -- functions` gives the script its argument: a shell passes none to what it sources
    await run('sh', ['-c', `set -- functions; . ${SCRIPT}; erase ${disk}`]);
    const left = readFileSync(disk);
    expect(left.length).toBe(bytes);
    expect(left.subarray(0, ends * MIB).every((byte) => byte === 0)).toBe(true);
    expect(left.subarray(-ends * MIB).every((byte) => byte === 0)).toBe(true);
    if (bytes > 32 * MIB) expect(left[20 * MIB]).toBe(0xaa);
  },
);

const inShell = (command: string, env: NodeJS.ProcessEnv = {}) =>
  run('sh', ['-c', `set -- functions; . ${SCRIPT}; ${command}`], {
    env: { ...process.env, ...env },
  });

test('a full erasure leaves no byte, and one that cannot write to the end is a failure', async () => {
  const bytes = 40 * MIB + 1536;
  const disk = join(folder, 'full');
  writeFileSync(disk, Buffer.alloc(bytes, 0xaa));
  await inShell(`HOW=full; erase ${disk}`);
  expect(readFileSync(disk).equals(Buffer.alloc(bytes))).toBe(true);
  // a disk with a bad spot in its middle: both ends can be written all the same
  const bad = join(folder, 'bad');
  mkdirSync(bad);
  writeFileSync(
    join(bad, 'dd'),
    '#!/bin/sh\ncase "$*" in *count=40*) exit 1 ;; esac\nexec /bin/dd "$@"\n',
  );
  chmodSync(join(bad, 'dd'), 0o755);
  await expect(inShell(`PATH=${bad}:$PATH; HOW=full; erase ${disk}`)).rejects.toMatchObject({
    code: 1,
  });
});

test('a SCSI disk is found by its serial, although that does not end its line', async () => {
  const path = join(folder, 'sys/block/sda/device');
  mkdirSync(path, { recursive: true });
  writeFileSync(join(folder, 'sys/block/sda/size'), '2048\n');
  writeFileSync(join(path, 'vpd_pg80'), Buffer.from('\0\x80\0\x08 SER1 ', 'latin1'));
  writeFileSync(join(path, 'wwid'), 'naa.5000c500\n');
  const { stdout } = await inShell('find_disk SER1 1048576', { SYS: join(folder, 'sys') });
  expect(stdout).toBe('sda\n');
});

test('two disks that cannot be told apart are not erased: one would be left', () => {
  const disk = (name: string, serial: string) => ({
    name,
    serial,
    bytes: 8e9,
    rotational: true,
    removable: false,
    signatures: [],
  });
  const plan = (...disks: ReturnType<typeof disk>[]) =>
    makeErasePlan({ attribs: {}, nodeName: 'n', disks });
  expect(plan(disk('sda', 'A B'), disk('sdb', 'A_B'))).toMatchObject({
    ok: false,
    refusals: [{ message: expect.stringContaining('sda, sdb have the same serial') }],
  });
  expect(plan(disk('sda', 'A'), disk('sdb', 'B')).ok).toBe(true);
});
