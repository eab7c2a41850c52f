/** The script jig over SSH, against real sshds on this machine. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cancelRun, listHammers, SILENT, startWorker, type Worker } from '@hostwright/engine';
import { createScriptJig, type ScriptJig } from '@hostwright/jigs';
import { eventually, peer } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createScriptSite, type ScriptSite } from './script-site.ts';
import { startSshd, type Sshd } from './sshd.ts';

/** A zombie that nobody has waited for yet is not alive. */
const isAlive = (pid: string): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

describe.skipIf(!peer('sshd'))('scripts over SSH', () => {
  let site: ScriptSite;
  let jig: ScriptJig;
  let worker: Worker;
  const sshds: Sshd[] = [];

  const machine = async (): Promise<Sshd> => {
    const sshd = await startSshd();
    sshds.push(sshd);
    return sshd;
  };
  const startHere = async (): Promise<void> => {
    jig = createScriptJig({ database: site.database, master: site.master, log: SILENT });
    worker = await startWorker({
      database: site.database,
      jigs: [jig],
      log: SILENT,
      name: 'here',
      master: site.master,
      tickMs: 200,
    });
  };
  const endOf = (noderoleId: number) =>
    eventually(
      async () => {
        const run = await site.runOf(noderoleId);
        return ['succeeded', 'failed', 'cancelled', 'fenced'].includes(run?.status ?? '')
          ? run
          : undefined;
      },
      { what: 'the end of a run', limitSeconds: 40 },
    );
  const left = (sshd: Sshd): string[] =>
    ['runs', 'lanes'].flatMap((folder) =>
      readdirSync(join(sshd.state, folder)).filter((name) => !name.endsWith('.lock')),
    );

  beforeAll(async () => {
    site = await createScriptSite();
    await startHere();
  });
  afterEach(async () => {
    await Promise.all(sshds.splice(0).map((sshd) => sshd.stop()));
  });
  afterAll(async () => {
    await worker.stop();
    jig.close();
    await site.close();
  });

  test('success: in name order, output streamed, wall written back, nothing left behind', async () => {
    const sshd = await machine();
    const nodeId = await site.node(sshd);
    const noderoleId = await site.todo({
      nodeId,
      scripts: {
        '20-second': '#!/bin/sh\n. "$HOSTWRIGHT_LIB"\nwrite_wall_json web/port 80\necho two >&2\n',
        '10-first': '#!/bin/sh\necho one "$HOSTWRIGHT_NODE"\nmktemp >/dev/null\n',
      },
    });
    expect(await endOf(noderoleId)).toMatchObject({ status: 'succeeded' });
    expect(await site.logOf(noderoleId)).toMatch(/^one n-[0-9a-f]+\ntwo$/);
    expect(await site.wallOf(noderoleId)).toEqual({ web: { port: 80 } });
    expect(left(sshd)).toEqual([]);
  });

  test('failure: names the script and its exit code', async () => {
    const sshd = await machine();
    const noderoleId = await site.todo({
      nodeId: await site.node(sshd),
      scripts: { '10-bad': '#!/bin/sh\necho oh no\nexit 3\n' },
    });
    expect(await endOf(noderoleId)).toMatchObject({
      status: 'failed',
      error: '10-bad exited with 3',
    });
    expect(await site.logOf(noderoleId)).toBe('oh no');
  });

  test('timeout: the whole process group is gone when the run is', async () => {
    const sshd = await machine();
    const noderoleId = await site.todo({
      nodeId: await site.node(sshd),
      scripts: { '10-slow': '#!/bin/sh\nsleep 600 &\necho $! $$\nwait\n' },
      deadlineSeconds: 1,
    });
    expect(await endOf(noderoleId)).toMatchObject({ status: 'failed' });
    const pids = (await site.logOf(noderoleId)).split(/\s+/).slice(0, 2);
    await eventually(() => !pids.some(isAlive));
    await eventually(() => left(sshd).length === 0);
  });

  test('cancel: ends the process group, then the run', async () => {
    const sshd = await machine();
    const noderoleId = await site.todo({
      nodeId: await site.node(sshd),
      scripts: { '10-slow': `#!/bin/sh\ntrap '' TERM\nsleep 600 &\necho $! $$\nwait; sleep 600\n` },
    });
    await eventually(() => site.logOf(noderoleId));
    const run = await site.runOf(noderoleId);
    await cancelRun(site.database.db, { runId: run?.id ?? 0, actor: 'anna' });
    expect(await endOf(noderoleId)).toMatchObject({ status: 'cancelled' });
    const pids = (await site.logOf(noderoleId)).split(/\s+/).slice(0, 2);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(left(sshd)).toEqual([]);
  });

  test('race C25: output is in the log while the script runs, however much of it there is', async () => {
    const sshd = await machine();
    const go = join(sshd.state, 'go');
    const noderoleId = await site.todo({
      nodeId: await site.node(sshd),
      scripts: {
        '10-talk': `#!/bin/sh\necho early\nuntil [ -e ${go} ]; do sleep 0.1; done\nseq 1 20000\n`,
      },
    });
    await eventually(async () => (await site.logOf(noderoleId)) === 'early');
    expect(await site.runOf(noderoleId)).toMatchObject({ status: 'running' });
    writeFileSync(go, '');
    expect(await endOf(noderoleId)).toMatchObject({ status: 'succeeded' });
    const lines = (await site.logOf(noderoleId)).split('\n');
    expect(lines).toHaveLength(20_001);
    expect(lines.at(-1)).toBe('20000');
  });

  test('race C26: nothing that a run was given stays on the machine, however it ended', async () => {
    const sshd = await machine();
    const nodeId = await site.node(sshd);
    const secret = 'correct-horse-battery';
    for (const [ending, status] of [
      ['exit 0', 'succeeded'],
      ['exit 1', 'failed'],
      ['kill -KILL $PPID', 'failed'],
    ]) {
      const script = `#!/bin/sh\n# ${secret}\nmktemp >/dev/null\n${ending}\n`;
      const noderoleId = await site.todo({ nodeId, scripts: { '10-it': script } });
      expect(await endOf(noderoleId), ending).toMatchObject({ status });
      await eventually(() => left(sshd).length === 0);
    }
    const files = readdirSync(sshd.state, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    expect(files.filter((text) => text.includes(secret))).toEqual([]);
  });

  test('a connection cut in mid-run is taken up again; the script ran once', async () => {
    const sshd = await machine();
    const noderoleId = await site.todo({
      nodeId: await site.node(sshd),
      scripts: {
        '10-once': `#!/bin/sh\necho x >>${sshd.home}/ran\necho begin\nuntil [ -e ${sshd.home}/go ]; do sleep 0.1; done\necho end\n`,
      },
    });
    await eventually(() => site.logOf(noderoleId));
    sshd.cut();
    writeFileSync(join(sshd.home, 'go'), '');
    expect(await endOf(noderoleId)).toMatchObject({ status: 'succeeded' });
    expect(await site.logOf(noderoleId)).toBe('begin\nend');
    expect(readFileSync(join(sshd.home, 'ran'), 'utf8')).toBe('x\n');
  });

  test('a fenced run and its successor never overlap', async () => {
    const sshd = await machine();
    const nodeId = await site.node(sshd);
    const alone = `${sshd.home}/alone`;
    const noderoleId = await site.todo({
      nodeId,
      scripts: {
        '10-alone': `#!/bin/sh\nmkdir ${alone} || exit 9\ntrap 'sleep 0.3; rmdir ${alone}; exit 1' TERM\necho in\nif [ -e ${sshd.home}/second ]; then rmdir ${alone}; exit 0; fi\ntouch ${sshd.home}/second\nwhile :; do sleep 0.1; done\n`,
      },
    });
    await eventually(() => site.logOf(noderoleId));
    const first = await site.runOf(noderoleId);
    // as if this worker had been taken for dead: the run is fenced, its noderole is to run again
    await sql`update run set status = 'fenced', ended_at = now() where id = ${first?.id}`.execute(
      site.database.db,
    );
    await site.again(noderoleId);
    const second = await eventually(async () => {
      const run = await site.runOf(noderoleId);
      return run?.id !== first?.id && run?.status === 'succeeded' ? run : undefined;
    });
    expect(second.id).not.toBe(first?.id);
    expect(existsSync(alone)).toBe(false);
  });

  test('8 nodes at once, each its own run', async () => {
    const machines = await Promise.all(Array.from({ length: 8 }, machine));
    const noderoleIds = await Promise.all(
      machines.map(async (sshd, index) =>
        site.todo({
          nodeId: await site.node(sshd),
          scripts: {
            // none ends before all have begun
            '10-meet': `#!/bin/sh\ntouch ${machines[0]?.home}/here-${index}\nuntil [ "$(ls ${machines[0]?.home} | grep -c here-)" = 8 ]; do sleep 0.1; done\necho ${index}\n`,
          },
        }),
      ),
    );
    const runs = await Promise.all(noderoleIds.map(endOf));
    expect(runs.map((run) => run.status)).toEqual(Array.from({ length: 8 }, () => 'succeeded'));
    expect(await Promise.all(noderoleIds.map((id) => site.logOf(id)))).toEqual(
      machines.map((_, index) => String(index)),
    );
  });

  test('a machine without an agent is alive because it answers over SSH, in its own boot', async () => {
    const sshd = await machine();
    const nodeId = await site.node(sshd);
    await sql`update node set alive = false where id = ${nodeId}`.execute(site.database.db);
    // the worker greets too: one of its rounds may have begun before
    const found = await eventually(async () => {
      await jig.greet();
      const { rows } = await sql<{ alive: boolean; boot_id: string }>`
        select alive, boot_id from node where id = ${nodeId}`.execute(site.database.db);
      return rows[0]?.alive === true && rows[0];
    });
    expect(found.boot_id).toBe(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  });

  test('another host key than the pinned one is refused, and nothing is sent', async () => {
    const sshd = await machine();
    const nodeId = await site.node(sshd);
    await sshd.changeHostKey();
    const noderoleId = await site.todo({ nodeId, scripts: { '10-x': '#!/bin/sh\necho x\n' } });
    const run = await endOf(noderoleId);
    expect(run.status).toBe('failed');
    expect(run.error).toMatch(/another host key than the pinned one|handshake|host key/i);
    expect(existsSync(sshd.state)).toBe(false);
  });

  test('an unknown host key is learned only where the operator allows it', async () => {
    const sshd = await machine();
    const strict = await site.todo({
      nodeId: await site.node(sshd, {}),
      scripts: { '10-x': '#!/bin/sh\necho x\n' },
    });
    expect((await endOf(strict)).error).toMatch(/no host key is pinned/);
    const nodeId = await site.node(sshd, { trustFirstKey: true });
    const trusting = await site.todo({ nodeId, scripts: { '10-x': '#!/bin/sh\necho x\n' } });
    expect(await endOf(trusting)).toMatchObject({ status: 'succeeded' });
    const [hammer] = await listHammers(site.database.db, nodeId);
    expect(hammer?.config['hostKeys']).toEqual([expect.stringMatching(/^SHA256:/)]);
  });

  test('a worker killed -9 in mid-run: another goes on with it, the script ran once', async () => {
    await worker.stop();
    jig.close();
    const sshd = await machine();
    const noderoleId = await site.todo({
      nodeId: await site.node(sshd),
      scripts: {
        '10-once': `#!/bin/sh\necho x >>${sshd.home}/ran\necho begin\nuntil [ -e ${sshd.home}/go ]; do sleep 0.1; done\necho end\n`,
      },
    });
    const victim = spawn(
      process.execPath,
      [
        fileURLToPath(new URL('worker-process.ts', import.meta.url)),
        site.database.url,
        site.master.key.toString('hex'),
      ],
      { stdio: 'ignore' },
    );
    await eventually(() => existsSync(join(sshd.home, 'ran')));
    victim.kill('SIGKILL');
    await startHere();
    writeFileSync(join(sshd.home, 'go'), '');
    expect(await endOf(noderoleId)).toMatchObject({ status: 'succeeded' });
    expect(readFileSync(join(sshd.home, 'ran'), 'utf8')).toBe('x\n');
    expect((await site.logOf(noderoleId)).split('\n')).toContain('end');
    expect(left(sshd)).toEqual([]);
  });
});
