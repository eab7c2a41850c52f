/** How the installer fetches an image: resumed where it broke, and not believed before its checksum. */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OS_FOLDER } from '../src/index.ts';
import { readRange } from '../src/files/serve.ts';

const content = Buffer.alloc(3_000_000, 'a whole disk ');
const image = gzipSync(content, { level: 0 });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
// its files in /run are its own: a mount namespace with a /run of its own
const apart = (command: string) => ['-m', 'sh', '-c', `mount -t tmpfs tmpfs /run && ${command}`];
const can =
  existsSync('/usr/bin/curl') &&
  existsSync('/bin/busybox') &&
  spawnSync('unshare', apart('true')).status === 0;

describe.skipIf(!can)('an image that streams', () => {
  let server: Server;
  let starts: number[] = [];
  let cutAfter = Infinity;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const range = readRange(request.headers.range, image.length);
      const start = range === null || range === 'unsatisfiable' ? 0 : range.start;
      starts.push(start);
      response.writeHead(start === 0 ? 200 : 206, {
        'content-length': image.length - start,
        'content-range': `bytes ${start}-${image.length - 1}/${image.length}`,
      });
      const body = image.subarray(start);
      if (body.length > cutAfter)
        response.write(body.subarray(0, cutAfter), () => setTimeout(() => response.destroy(), 50));
      else response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const fetchImage = async (planned: string) => {
    starts = [];
    const { port } = server.address() as AddressInfo;
    const script = `
      plan() { case $1 in image_bytes) echo ${image.length} ;; image_sha256) echo ${planned} ;; image_compression) echo gzip ;; esac; }
      say() { echo "say: $*"; }
      stop() { echo "stop: $*"; exit 1; }
      image=http://127.0.0.1:${port}/image
      . ${join(OS_FOLDER, 'image/image.sh')}
      arrive >/run/written
      check_arrived
      sha256sum /run/written`;
    const { stdout, stderr } = await promisify(execFile)(
      'unshare',
      apart('exec busybox sh -c "$SCRIPT"'),
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
});
