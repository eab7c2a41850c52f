/** The eraser's own functions, on a file instead of a disk. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

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
