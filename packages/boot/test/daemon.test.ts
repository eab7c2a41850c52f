import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { replaceChecked } from '../src/daemon/check.ts';
import { findDaemon, findDead, type Daemon } from '../src/daemon/daemon.ts';
import { removeFolder } from '../src/daemon/remove-folder.ts';
import { startDaemon } from '../src/daemon/start.ts';
import { stopDaemon } from '../src/daemon/stop.ts';
import { renderUnit } from '../src/daemon/systemd.ts';
import { tailLog } from '../src/feed/tail-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'hostwright-daemon-'));
afterAll(() => rmSync(folder, { recursive: true }));
const sleeper = (name: string): Daemon => ({ name, folder, command: ['sleep', '600'] });
const ready = async () => true;

test.skipIf(!existsSync('/usr/bin/systemd-analyze'))(
  'systemd reads the unit of a daemon as it was meant, odd characters included',
  () => {
    const path = join(folder, 'hostwright-odd.service');
    const command = ['/bin/sleep', '--conf-file=/a b/%n$HOME "quoted"/x.conf'];
    writeFileSync(path, renderUnit({ name: 'odd', folder, command, env: { KEY: 'a b' } }));
    execFileSync('systemd-analyze', ['verify', '--man=no', path], { stdio: 'pipe' });
    expect(readFileSync(path, 'utf8')).toContain(
      String.raw`ExecStart="/bin/sleep" "--conf-file=/a b/%%n$$HOME \"quoted\"/x.conf"`,
    );
  },
);

test('a daemon that died is told by name; one that was stopped is nobody’s loss', async () => {
  const pid = await startDaemon(sleeper('one'), { ready });
  expect(await findDaemon(sleeper('one'))).toBe(pid);
  expect(await findDead(folder)).toEqual([]);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => findDead(folder)).toEqual(['one']);
  await startDaemon(sleeper('one'), { ready });
  await stopDaemon(sleeper('one'));
  expect(await findDead(folder)).toEqual([]);
});

test('a daemon is stopped when its ports are free, not already when it has lost its memory', async () => {
  const file = join(folder, 'port');
  // of its own: on the usual one others are given the port as soon as it is free
  const address = '127.77.0.1';
  const large = `
    globalThis.held = Buffer.alloc(2 ** 28, 1);
    const server = require('node:net').createServer().listen(0, '${address}', () =>
      require('node:fs').writeFileSync(${JSON.stringify(file)}, String(server.address().port)));`;
  const daemon = { name: 'large', folder, command: [process.execPath, '-e', large] };
  const pid = await startDaemon(daemon, { ready: async () => existsSync(file) });
  const port = Number(readFileSync(file, 'utf8'));
  process.kill(pid, 'SIGKILL');
  await stopDaemon(daemon);
  await using server = createServer();
  await new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, address, () => resolve(port));
  });
});

test('another process with the same number is not taken for the daemon', async () => {
  writeFileSync(
    join(folder, 'two.daemon'),
    JSON.stringify({ daemon: sleeper('two'), pid: process.pid }),
  );
  expect(await findDaemon(sleeper('two'))).toBeNull();
  await stopDaemon(sleeper('two'));
});

test('a daemon knows nothing of what its starter was told', async () => {
  process.env['HOSTWRIGHT_MASTER_KEY'] = 'not for daemons';
  try {
    const daemon = { ...sleeper('four'), env: { KEA_PIDFILE_DIR: folder } };
    const pid = await startDaemon(daemon, { ready });
    const told = readFileSync(`/proc/${pid}/environ`, 'utf8');
    expect(told).not.toContain('not for daemons');
    expect(told).toContain(`KEA_PIDFILE_DIR=${folder}`);
    await stopDaemon(daemon);
  } finally {
    delete process.env['HOSTWRIGHT_MASTER_KEY'];
  }
});

test('a daemon that ends at once is an error with its last words', async () => {
  const command = ['sh', '-c', 'echo the disk is on fire >&2; exit 3'];
  const started = startDaemon({ name: 'three', folder, command }, { ready: async () => false });
  await expect(started).rejects.toThrow(/three ended at once: the disk is on fire/);
});

test('a folder goes also while its log is being read', async () => {
  const readOn = async (log: string): Promise<void> => {
    for (;;) {
      writeFileSync(log, 'a line\n', { flag: 'a' });
      const tail = await tailLog(log);
      await tail.acknowledge(tail.end);
    }
  };
  // whether they meet is chance
  for (let time = 0; time < 3; time++) {
    const gone = join(folder, `gone-${time}`);
    mkdirSync(gone);
    for (let file = 0; file < 50; file++) writeFileSync(join(gone, `file-${file}`), '');
    const reading = readOn(join(gone, 'kea.log'));
    await Promise.all([removeFolder(gone), expect(reading).rejects.toThrow('ENOENT')]);
    expect(existsSync(gone)).toBe(false);
  }
  expect(readdirSync(folder).filter((name) => name.startsWith('gone'))).toEqual([]);
});

test('a configuration that its checker refuses leaves the old one in place', async () => {
  const path = join(folder, 'conf');
  const put = (text: string, verdict: string) =>
    replaceChecked({ name: 'checker', path, text, checker: () => ['sh', '-c', verdict] });
  expect(await put('old', 'true')).toBe('changed');
  expect(await put('old', 'false')).toBe('same');
  await expect(put('new', 'echo line 1 is wrong; exit 1')).rejects.toThrow(
    'checker refuses the configuration: line 1 is wrong',
  );
  expect(readFileSync(path, 'utf8')).toBe('old');
});
