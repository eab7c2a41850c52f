/** The boot endpoint by TFTP, asked by curl, which is a client of its own. */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTestDatabase, eventually, type TestDatabase } from '@hostwright/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listenForTftp, openFileStore, registerFile, type TftpListener } from '../src/index.ts';
import { addNode, bootDeps, mac } from './fixtures.ts';

const run = promisify(execFile);

describe.skipIf(!existsSync('/usr/bin/curl'))('TFTP', () => {
  let database: TestDatabase;
  let listener: TftpListener;
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-tftp-'));
  const large = randomBytes(3_000_000);
  beforeAll(async () => {
    database = await createTestDatabase();
    mkdirSync(join(folder, 'discovery'));
    writeFileSync(join(folder, 'discovery/initrd.img'), large);
    await registerFile(database.db, { folder, path: 'discovery/initrd.img' });
    const deps = bootDeps(database, { files: openFileStore(folder) });
    listener = await listenForTftp(deps, { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await listener.close();
    await database.close();
  });

  const fetchBytes = async (path: string, blockSize = 1024): Promise<Buffer> => {
    const { stdout } = await run(
      'curl',
      [
        '-sS',
        '--max-time',
        '30',
        '--tftp-blksize',
        String(blockSize),
        `tftp://127.0.0.1:${listener.port}/${path}`,
      ],
      { encoding: 'buffer', maxBuffer: 1 << 26 },
    );
    return stdout;
  };
  const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

  test('a file arrives whole, whatever the size of the packets', async () => {
    const whole = await fetchBytes('boot/v1/files/discovery/initrd.img');
    expect(hash(whole)).toBe(hash(large));
    // more packets than a block number can count
    const small = await fetchBytes('boot/v1/files/discovery/initrd.img', 32);
    expect(hash(small)).toBe(hash(large));
  });

  test('signed GRUB is told where to ask, gets its script, and the seed once', async () => {
    const start = (await fetchBytes('grub/grub.cfg')).toString();
    expect(start).toContain(
      '(tftp,$net_default_server)/boot/v1/grub/$net_default_mac/$uuid/grub.cfg',
    );
    const script = (await fetchBytes(`boot/v1/grub/${mac(7)}/grub.cfg`)).toString();
    const [, seed = ''] = /initrd \(tftp,[^)]*\)\/(\S+)/.exec(script) ?? [];
    expect((await fetchBytes(seed)).toString('latin1')).toContain('mode=discovery');
    await expect(fetchBytes(seed)).rejects.toThrow();
  });

  test('signed GRUB is known by its UUID when its card is new, and by its MAC without one', async () => {
    const uuid = '5e0c3b51-0000-4000-8000-000000000009';
    await addNode(database, { name: 'known', macs: [mac(9)], uuid });
    for (const path of [`${mac(19)}/${uuid}`, `${mac(9)}/`, mac(9)]) {
      const script = (await fetchBytes(`boot/v1/grub/${path}/grub.cfg`)).toString();
      expect(script, path).toContain('Own disk');
    }
    const stranger = (await fetchBytes(`boot/v1/grub/${mac(20)}//grub.cfg`)).toString();
    expect(stranger).toContain('discovery');
  });

  // 68: the server said that there is no such file
  test('what is no boot path is not found, and nothing outside of them is read', async () => {
    for (const path of ['etc/passwd', '../../../etc/passwd', 'boot/v1/files/../../etc/passwd'])
      await expect(fetchBytes(path)).rejects.toThrow('curl: (68)');
  });

  test('a request that is repeated does not use up the seed', async () => {
    const script = (await fetchBytes(`boot/v1/grub/${mac(8)}/grub.cfg`)).toString();
    const [, seed = ''] = /initrd \(tftp,[^)]*\)\/(\S+)/.exec(script) ?? [];
    const socket = createSocket('udp4');
    const answers: Buffer[] = [];
    const request = Buffer.from(`\0\x01${seed}\0octet\0`);
    await new Promise<void>((resolve) => {
      socket.on('message', (bytes) => {
        answers.push(bytes);
        if (answers.length === 1) socket.send(request, listener.port, '127.0.0.1');
        else resolve();
      });
      socket.send(request, listener.port, '127.0.0.1');
    });
    socket.close();
    expect(answers.map((bytes) => bytes.readUInt16BE(0))).toEqual([3, 3]);
    expect(answers[0]?.equals(answers[1] ?? Buffer.alloc(0))).toBe(true);
  });

  test('who gives up while its file is being opened leaves no file open', async () => {
    const openFiles = () =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).endsWith('discovery/initrd.img');
        } catch {
          return false;
        }
      }).length;
    const socket = createSocket('udp4');
    const send = (text: string) =>
      new Promise<void>((resolve) =>
        socket.send(Buffer.from(text), listener.port, '127.0.0.1', () => resolve()),
      );
    let answers = 0;
    socket.on('message', () => answers++);
    for (let round = 0; round < 20; round++) {
      await send('\0\x01boot/v1/files/discovery/initrd.img\0octet\0');
      await send('\0\x05\0\0gone\0');
    }
    // the last request is not given up: all before it have been dealt with when it is answered
    await send('\0\x01boot/v1/files/discovery/initrd.img\0octet\0');
    await eventually(() => answers > 0, { what: 'an answer' });
    await send('\0\x05\0\0gone\0');
    await eventually(() => openFiles() === 0, { what: 'all files closed' });
    socket.close();
  });

  test('one address that begins many transfers does not keep others from theirs', async () => {
    const sockets = Array.from({ length: 40 }, () => createSocket('udp4'));
    let answered = 0;
    const request = Buffer.from('\0\x01boot/v1/files/discovery/initrd.img\0octet\0');
    for (const socket of sockets) {
      socket.once('message', () => answered++);
      socket.send(request, listener.port, '127.0.0.1');
    }
    const other = createSocket('udp4');
    await new Promise<void>((resolve) => other.bind(0, '127.0.0.2', resolve));
    const first = new Promise<Buffer>((resolve) => other.once('message', resolve));
    other.send(request, listener.port, '127.0.0.1');
    expect((await first).readUInt16BE(0)).toBe(3);
    expect(answered).toBeLessThanOrEqual(8);
    for (const socket of [...sockets, other]) {
      await new Promise<void>((resolve) =>
        socket.send(Buffer.from('\0\x05\0\0gone\0'), listener.port, '127.0.0.1', () => resolve()),
      );
      socket.close();
    }
  });
});
