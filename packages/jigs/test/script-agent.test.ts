/** The script jig over the agent, whole: worker, server, a real agent under dash. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cancelRun, putSecret, SILENT, startWorker, type Worker } from '@hostwright/engine';
import { createScriptJig, type ScriptJig } from '@hostwright/jigs';
import { eventually, peer } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createMachine, type Machine } from '../../agent/test/machine.ts';
import { createSite, type Site } from '../../agent/test/site.ts';

describe.skipIf(!peer('dash') || !peer('curl'))('scripts over the agent', () => {
  let site: Site;
  let jig: ScriptJig;
  let worker: Worker;
  let machine: Machine;
  let nodeId: number;
  let folder: string;

  const work = async (): Promise<void> => {
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
  const rest = async (): Promise<void> => {
    await worker.stop();
    jig.close();
  };

  beforeAll(async () => {
    site = await createSite();
    machine = createMachine('dash');
    folder = join(machine.home, 'barclamp');
    await sql`update barclamp set source_path = ${folder} where name = 't'`.execute(
      site.database.db,
    );
    const token = await site.joinToken(1);
    await machine.join({ url: site.url, token, fingerprint: site.fingerprint });
    nodeId = await site.nodeNamed(readFileSync(join(machine.state, 'name'), 'utf8').trim());
    machine.serve();
    await eventually(async () => {
      const found = await sql<{
        alive: boolean;
      }>`select alive from node where id = ${nodeId}`.execute(site.database.db);
      return found.rows[0]?.alive;
    });
    await work();
  });
  afterEach((context) => {
    if (context.task.result?.state === 'fail') process.stderr.write(`agent: ${machine.log()}\n`);
  });
  afterAll(async () => {
    await rest();
    await machine.remove();
    await site.close();
  });

  const todo = async (
    role: string,
    script: string | Readonly<Record<string, string>>,
    { reboots = false, ...data }: { reboots?: boolean; app?: object } = {},
  ): Promise<number> => {
    mkdirSync(join(folder, 'scripts', role), { recursive: true });
    const scripts = typeof script === 'string' ? { '10-do': script } : script;
    for (const [name, text] of Object.entries(scripts))
      writeFileSync(join(folder, 'scripts', role, name), text);
    const made = await sql<{ id: number }>`
      with r as (
        insert into role (barclamp_id, name, jig, reboots) select id, ${role}, 'script', ${reboots} from barclamp where name = 't'
        returning id, barclamp_id
      ), a as (
        insert into attrib (barclamp_id, role_id, name, path, secret)
        select barclamp_id, id, ${`${role}-password`}, 'app/password', true from r
      )
      insert into noderole (deployment_id, role_id, node_id, lane, state, data)
      select d.id, r.id, ${nodeId}, 'host', 'todo', ${JSON.stringify(data)}::jsonb
      from r, deployment d where d.system returning id`.execute(site.database.db);
    return made.rows[0]?.id ?? 0;
  };
  const stateOf = async (id: number) => {
    const found = await sql<{ state: string; wall: unknown; reason: string; run_id: number }>`
      select w.state, w.wall, w.reason, (select max(id) from run where noderole_id = w.id) as run_id
      from noderole w where id = ${id}`.execute(site.database.db);
    const row = found.rows[0];
    if (row === undefined) throw new Error(`there is no noderole ${id}`);
    return row;
  };
  const settled = (id: number) =>
    eventually(async () => {
      const now = await stateOf(id);
      return ['active', 'error'].includes(now.state) ? now : undefined;
    });

  test('holds no worker while the machine works, masks secrets, brings the wall home', async () => {
    await putSecret(site.database.db, {
      name: 'app/password',
      value: 'correct-horse',
      master: site.master,
      actor: 'test',
    });
    const id = await todo(
      'a',
      `#!/bin/sh\n. "$HOSTWRIGHT_LIB"\nuntil [ -e ${machine.home}/go ]; do sleep 0.1; done\necho "it is $(read_attrib app/password none)"\nwrite_wall app/url http://x\n`,
      { app: { password: { $secret: 'app/password' } } },
    );
    await eventually(async () => {
      const found = await sql<{ status: string }>`
        select r.status from run r join agent_task t on t.run_id = r.id
        where r.noderole_id = ${id} and t.status = 'started'`.execute(site.database.db);
      return found.rows[0]?.status === 'waiting';
    });
    expect(worker.status().running).toBe(0);
    await machine.sh(`touch ${machine.home}/go`);
    const done = await settled(id);
    expect(done).toMatchObject({ state: 'active', wall: { app: { url: 'http://x' } } });
    expect(await site.logOf(done.run_id)).not.toContain('correct-horse');
    expect(await site.logOf(done.run_id)).toContain('it is [secret]');
  });

  test('a failure names the script', async () => {
    const done = await settled(await todo('b', '#!/bin/sh\nexit 4\n'));
    expect(done).toMatchObject({ state: 'error' });
    expect(done.reason).toContain('10-do exited with 4');
  });

  test('workers may come and go while the machine works', async () => {
    const id = await todo(
      'c',
      `#!/bin/sh\necho x >>${machine.home}/ran\nuntil [ -e ${machine.home}/go-on ]; do sleep 0.1; done\n`,
    );
    await eventually(() => machine.sh(`cat ${machine.home}/ran`).then(({ code }) => code === 0));
    await rest();
    await machine.sh(`touch ${machine.home}/go-on`);
    await work();
    expect(await settled(id)).toMatchObject({ state: 'active' });
    expect(readFileSync(join(machine.home, 'ran'), 'utf8')).toBe('x\n');
  });

  test('cancel ends what runs on the machine', async () => {
    const id = await todo('d', `#!/bin/sh\necho $$ >${machine.home}/pid\nsleep 600\n`);
    const pid = await eventually(async () => {
      const said = await machine.sh(`cat ${machine.home}/pid`);
      return said.out.trim();
    });
    const { run_id: runId } = await stateOf(id);
    await eventually(async () => {
      const found = await sql<{
        status: string;
      }>`select status from run where id = ${runId}`.execute(site.database.db);
      return found.rows[0]?.status === 'waiting';
    });
    await cancelRun(site.database.db, { runId, actor: 'anna' });
    expect(await settled(id)).toMatchObject({ state: 'error' });
    const left = await machine.sh(`grep -v ' Z ' /proc/${pid}/stat`);
    expect(left.out).toBe('');
  });

  describe('a role that reboots its machine', () => {
    const ran = (): string => readFileSync(join(machine.home, 'ran'), 'utf8');
    const script = (what: string, then = ''): string =>
      `#!/bin/sh\n. "$HOSTWRIGHT_LIB"\necho ${what} >>${machine.home}/ran\necho ${what} in boot $(cat "$HOSTWRIGHT_AGENT_ROOT/proc/sys/kernel/random/boot_id")\n${then}\n`;
    /** Everything ends, by the signal the system gives, and comes up in another boot. */
    const powerCycle = async (signal: NodeJS.Signals): Promise<void> => {
      await machine.stop();
      const [, , supervisor, , executor] = readFileSync(
        join(machine.state, 'lanes', 'host'),
        'utf8',
      ).split(' ');
      for (const group of [supervisor, executor]) process.kill(-Number(group), signal);
      await eventually(async () => {
        const left = await machine.sh(`kill -0 -${supervisor} || kill -0 -${executor}`);
        return left.code !== 0;
      });
      machine.reboot();
      machine.serve();
    };
    beforeEach(async () => {
      await machine.sh(`rm -f ${machine.home}/ran ${machine.home}/rebooted`);
    });

    test.each(['SIGTERM', 'SIGKILL'] as const)(
      'goes on after the script that did it, each script once (%s)',
      async (signal) => {
        const id = await todo(
          `reboots-${signal.toLowerCase()}`,
          {
            '10-before': script('before', 'write_wall a 1'),
            '20-reboot': script('reboot', 'reboot_machine'),
            '30-after': script('after', 'write_wall b 2'),
          },
          { reboots: true },
        );
        await eventually(() => existsSync(join(machine.home, 'rebooted')));
        expect(ran()).toBe('before\nreboot\n');
        await powerCycle(signal);
        const done = await settled(id);
        expect(done, done.reason).toMatchObject({ state: 'active', wall: { a: '1', b: '2' } });
        expect(ran()).toBe('before\nreboot\nafter\n');
        const boots = (await site.logOf(done.run_id)).match(/in boot \S+/g) ?? [];
        expect(boots[0]).toBe(boots[1]);
        expect(boots[2]).not.toBe(boots[0]);
        const runs = await sql`select from run where noderole_id = ${id}`.execute(site.database.db);
        expect(runs.rows).toHaveLength(1);
      },
    );

    test('has one deadline for all boots together', async () => {
      const id = await todo(
        'reboots-late',
        { '10-reboot': script('reboot', 'reboot_machine'), '20-after': script('after') },
        { reboots: true },
      );
      await eventually(() => existsSync(join(machine.home, 'rebooted')));
      const { run_id: runId } = await stateOf(id);
      // as if the machine had needed days to come up again
      writeFileSync(join(machine.state, 'runs', String(runId), 'began'), '1\n');
      await powerCycle('SIGKILL');
      const done = await settled(id);
      expect(done.state).toBe('error');
      expect(done.reason).toContain('10-reboot did not end in time');
      expect(ran()).toBe('reboot\n');
    });

    test('a script that fails after the reboot fails the run, and cancel ends it in the new boot', async () => {
      const failing = await todo(
        'reboots-fails',
        { '10-reboot': script('reboot', 'reboot_machine'), '20-after': script('after', 'exit 7') },
        { reboots: true },
      );
      await eventually(() => existsSync(join(machine.home, 'rebooted')));
      await powerCycle('SIGTERM');
      expect((await settled(failing)).reason).toContain('20-after exited with 7');
      await machine.sh(`rm -f ${machine.home}/ran ${machine.home}/rebooted`);
      const endless = await todo(
        'reboots-endless',
        {
          '10-reboot': script('reboot', 'reboot_machine'),
          '20-after': script('after', 'sleep 600'),
        },
        { reboots: true },
      );
      await eventually(() => existsSync(join(machine.home, 'rebooted')));
      await powerCycle('SIGTERM');
      await eventually(() => ran().endsWith('after\n'));
      const { run_id: runId } = await stateOf(endless);
      await cancelRun(site.database.db, { runId, actor: 'anna' });
      expect(await settled(endless)).toMatchObject({ state: 'error' });
      await eventually(() => !existsSync(join(machine.state, 'runs', String(runId))));
    });

    test('without the flag a reboot is an error, and nothing runs again', async () => {
      const id = await todo('no-reboots', {
        '10-reboot': script('reboot', 'reboot_machine'),
        '20-after': script('after'),
      });
      await eventually(() => existsSync(join(machine.home, 'rebooted')));
      await powerCycle('SIGKILL');
      const done = await settled(id);
      expect(done.state).toBe('error');
      expect(done.reason).toContain('rebooted');
      expect(ran()).toBe('reboot\n');
    });
  });
});
