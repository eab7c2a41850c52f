/** How the installer fetches an image: resumed where it broke, and not believed before its checksum. */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { OS_FOLDER } from '../src/index.ts';
import { readRange } from '../src/files/serve.ts';

const content = Buffer.alloc(3_000_000, 'a whole disk ');
const image = gzipSync(content, { level: 0 });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
// its files in /run are its own, and so are the programs beside busybox
const apart = (command: string, programs: readonly string[] = []) => [
  '-m',
  'sh',
  '-c',
  [
    ...programs.map((name) => `found_${name}=$(readlink -f "$(command -v ${name})")`),
    'mount -t tmpfs tmpfs /run',
    'mount -t tmpfs tmpfs /usr/sbin',
    ...programs.map((name) => `ln -s "$found_${name}" /usr/sbin/${name}`),
    command,
  ].join(' && '),
];
const can =
  existsSync('/usr/bin/curl') &&
  existsSync('/bin/busybox') &&
  existsSync('/usr/bin/zstd') &&
  spawnSync('unshare', apart('true')).status === 0;

describe.skipIf(!can).each([
  ['by busybox alone', []],
  ['by the programs of the discovery image', ['sha256sum', 'tee', 'zstd']],
])('an image that streams, %s', (_, programs) => {
  let server: Server;
  let served = image;
  let starts: number[] = [];
  let cutAfter = Infinity;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const range = readRange(request.headers.range, served.length);
      const start = range === null || range === 'unsatisfiable' ? 0 : range.start;
      if (request.headers.range?.startsWith('bytes=-') !== true) starts.push(start);
      response.writeHead(start === 0 ? 200 : 206, {
        'content-length': served.length - start,
        'content-range': `bytes ${start}-${served.length - 1}/${served.length}`,
      });
      const body = served.subarray(start);
      if (body.length > cutAfter)
        response.write(body.subarray(0, cutAfter), () => setTimeout(() => response.destroy(), 50));
      else response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const fetchImage = async (planned: string, how = 'gzip') => {
    starts = [];
    const { port } = server.address() as AddressInfo;
    const script = `
      plan() { case $1 in image_bytes) echo ${served.length} ;; image_sha256) echo ${planned} ;; image_compression) echo ${how} ;; esac; }
      say() { echo "say: $*"; }
      stop() { echo "stop: $*"; exit 1; }
      image=http://127.0.0.1:${port}/image
      . ${join(OS_FOLDER, 'image/image.sh')}
      arrive >/run/written
      check_arrived
      sha256sum /run/written`;
    const { stdout, stderr } = await promisify(execFile)(
      'unshare',
      apart('exec busybox sh -c "$SCRIPT"', programs),
      { env: { ...process.env, SCRIPT: script } },
    ).catch((error: unknown) => error as { stdout: string; stderr: string });
    return `${stdout}${stderr}`;
  };

  test('comes whole although every connection breaks', async () => {
    cutAfter = 1_300_000;
    const said = await fetchImage(sha256(image));
    expect(said).toContain(sha256(content));
    expect(starts).toEqual([0, 1_300_000, 2_600_000]);
    expect(said.match(/taken up again/g)).toHaveLength(2);
  });

  test('is not believed if it is another one', async () => {
    cutAfter = Infinity;
    const said = await fetchImage('0'.repeat(64));
    expect(said).toContain('stop: the image that arrived is not the one of the plan (checksum)');
  });

  // at once, and after who unpacks it would have ended
  test.each([5, 700_000])('is whole with %s zero bytes behind it', async (count) => {
    served = Buffer.concat([image, Buffer.alloc(count)]);
    onTestFinished(() => {
      served = image;
    });
    expect(await fetchImage(sha256(served))).toContain(sha256(content));
  });

  test.skipIf(programs.length === 0).each([5, 700_000])(
    'is refused with the reason where nobody can read on, behind %s zero bytes',
    async (count) => {
      served = Buffer.concat([zstdCompressSync(content), Buffer.alloc(count)]);
      onTestFinished(() => {
        served = image;
      });
      expect(await fetchImage(sha256(served), 'zstd')).toContain(
        'stop: the image cannot be unpacked: it is no zstd, or something else follows its end, such as zero bytes',
      );
    },
  );
});

const tarEntry = (name: string, type: string, body: Buffer): Buffer => {
  const block = Buffer.alloc(512 + Math.ceil(body.length / 512) * 512);
  block.write(name);
  block.write(`0000755\0${'0'.repeat(7)}\0${'0'.repeat(7)}\0`, 100);
  block.write(`${body.length.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0`, 124);
  block.write(`${' '.repeat(8)}${type}`, 148);
  block.write('ustar\u000000', 257);
  const sum = block.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  body.copy(block, 512);
  return block;
};

/** One file with the capability that lets ping open its socket, as GNU tar and libarchive write it. */
const tarWithCapability = (): Buffer => {
  const capability = Buffer.alloc(20);
  capability.writeUInt32LE(0x02000001, 0);
  capability.writeUInt32LE(0x2000, 4);
  const record = Buffer.concat([
    Buffer.from('57 SCHILY.xattr.security.capability='),
    capability,
    Buffer.from('\n'),
  ]);
  return Buffer.concat([
    tarEntry('PaxHeaders/ping', 'x', record),
    tarEntry('ping', '0', Buffer.from('#!/bin/sh\n')),
    Buffer.alloc(1024),
  ]);
};

/** Its output, and what it said; what is unpacked fits into a megabyte or does not. */
const unpackTar = (archive: Buffer, then: string) => {
  const script = `
    plan() { :; }
    . ${join(OS_FOLDER, 'image/image.sh')}
    mkdir /run/root && mount -t tmpfs -o size=1m tmpfs /run/root
    untar /run/root
    ${then}`;
  return spawnSync('unshare', apart('exec busybox sh -c "$SCRIPT"', ['tar']), {
    env: { ...process.env, SCRIPT: script },
    input: archive,
    encoding: 'latin1',
  });
};

test.skipIf(!can)('a file of an image keeps its capabilities', () => {
  const { stdout, stderr } = unpackTar(
    tarWithCapability(),
    `/usr/sbin/tar -C /run/root --xattrs --xattrs-include='*' -cf - ping`,
  );
  expect(stderr).toBe('');
  expect(stdout).toContain('SCHILY.xattr.security.capability=');
});

test.skipIf(!can)('a disk that is full ends the unpacking, and is told once', () => {
  const files = Array.from({ length: 500 }, (_, at) =>
    tarEntry(`file${at}`, '0', Buffer.alloc(100_000)),
  );
  const { stdout, stderr } = unpackTar(Buffer.concat([...files, Buffer.alloc(1024)]), 'echo $?');
  expect(stderr.match(/No space left/g)).toHaveLength(1);
  expect(stdout.trim()).not.toBe('0');
});
