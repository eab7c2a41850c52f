/** `hostwright lab up` as its user meets it: killed, started again, ended with Ctrl-C. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  chmodSync,
  createWriteStream,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@hostwright/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { LONG, longLab } from './look.ts';

const MAIN = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));

/** Every process whose command line names the folder. */
const processesOf = (folder: string): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return command.includes(folder) ? [command.slice(0, 120)] : [];
      } catch {
        return [];
      }
    });

describe.skipIf(!longLab())('lab up', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-labup-'));
  // PostgreSQL runs as another user than root
  chmodSync(folder, 0o755);
  const started: ChildProcess[] = [];
  afterAll(() => {
    for (const child of started) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  const start = (name: string) => {
    const file = join(folder, `${name}.out`);
    const sink = createWriteStream(file);
    const child = spawn(
      process.execPath,
      [MAIN, 'lab', 'up', '--machines', '1', '--port', '4791', '--data-dir', folder],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    child.stdout.pipe(sink);
    child.stderr.pipe(sink);
    started.push(child);
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    return { child, ended, said: () => (existsSync(file) ? readFileSync(file, 'utf8') : '') };
  };
  const readStatus = () =>
    spawnSync(process.execPath, [MAIN, 'status', '--data-dir', join(folder, 'lab')], {
      encoding: 'utf8',
    }).stdout;
  const namespaces = () => (existsSync('/run/netns') ? readdirSync('/run/netns') : []);
  const isOn = async ({ said, ended }: ReturnType<typeof start>): Promise<void> => {
    const on = eventually(() => /machine1 {2}switched on/.test(said()), {
      limitSeconds: 600,
      what: 'a machine that is switched on',
    });
    const gone = ended.then((code) => {
      throw new Error(`it ended with ${code}`);
    });
    await Promise.race([on, gone]).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${said()}`, { cause: error });
    });
  };

  test(
    'what a killed one left is gone at the next start, and Ctrl-C leaves nothing',
    LONG,
    async () => {
      const first = start('first');
      await isOn(first);
      const namespace = readFileSync(join(folder, 'lab/namespace'), 'utf8');
      expect(namespaces()).toContain(namespace);
      first.child.kill('SIGKILL');
      await first.ended;
      expect(processesOf(join(folder, 'lab/machines')).length).toBeGreaterThanOrEqual(2);

      const second = start('second');
      await isOn(second);
      expect(second.said()).toContain(`left by a lab that was killed, now gone: namespace`);
      expect(second.said()).toContain('BMC machine1');
      expect(namespaces()).not.toContain(namespace);
      const running = processesOf(join(folder, 'lab/machines'));
      expect(running.filter((line) => line.includes('qemu-system'))).toHaveLength(1);
      expect(running.filter((line) => line.includes('ipmi_sim'))).toHaveLength(1);
      const next = readFileSync(join(folder, 'lab/namespace'), 'utf8');
      await eventually(() => /machine1 {2}\S+ is alive/.test(second.said()), {
        limitSeconds: 600,
        what: 'a machine that is discovered beside the roles of the admin node',
      });
      // its admin node has an agent, so nothing of its system waits for one
      await eventually(() => /^system +\d+ +[1-9]\d* +0 +0 +0 /m.test(readStatus()), {
        limitSeconds: 600,
        what: 'a system in which nothing works, waits or has failed',
      });

      second.child.kill('SIGINT');
      expect(await second.ended).toBe(0);
      expect(second.said()).toContain('nothing is left running');
      expect(namespaces()).not.toContain(next);
      expect(processesOf(folder)).toEqual([]);
    },
  );
});
