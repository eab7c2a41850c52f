/** The real agent, under each shell it must run in, against a real server over HTTPS. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cancelTask, transaction } from '@hostwright/engine';
import { eventually, peer } from '@hostwright/testkit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createMachine, SHELLS, type Machine } from './machine.ts';
import { createSite, type Site } from './site.ts';

let site: Site;
const machines: Machine[] = [];

beforeAll(async () => {
  site = await createSite();
});
afterEach(async (context) => {
  // what the agents had to say is half of why a test failed
  if (context.task.result?.state === 'fail')
    for (const machine of machines) process.stderr.write(`agent: ${machine.log()}\n`);
  await Promise.all(machines.splice(0).map((machine) => machine.remove()));
});
afterAll(() => site.close());

const joinNode = async (machine: Machine): Promise<number> => {
  if (!machines.includes(machine)) machines.push(machine);
  const token = await site.joinToken(1);
  const said = await machine.join({ url: site.url, token, fingerprint: site.fingerprint });
  expect(said.err).toMatch(/this machine is node /);
  return site.nodeNamed(readFileSync(join(machine.state, 'name'), 'utf8').trim());
};

const isAlive = async (nodeId: number): Promise<boolean> => {
  const found = await sql<{ alive: boolean }>`
    select alive and discovery <> '{}' as alive from node where id = ${nodeId}`.execute(
    site.database.db,
  );
  return found.rows[0]?.alive === true;
};

const up = async (machine: Machine): Promise<number> => {
  const nodeId = await joinNode(machine);
  machine.serve();
  await eventually(() => isAlive(nodeId), { what: 'a node that is alive' });
  return nodeId;
};

/** Nothing of a run, above all no secret, stays on the machine. */
const nothingLeft = (machine: Machine): Promise<unknown> =>
  eventually(() => readdirSync(join(machine.state, 'runs')).length === 0, {
    what: 'an empty folder of runs',
  });

const alivePid = (pid: string): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid.trim()}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

describe.each(SHELLS)('the agent under %s', (shell) => {
  describe.skipIf(!peer(shell) || !peer('curl'))('with curl', () => {
    test('runs scripts in order, streams, masks secrets, writes the wall, leaves nothing behind', async () => {
      const machine = createMachine(shell);
      const nodeId = await up(machine);
      const { runId } = await site.offer({
        nodeId,
        attribs: { app: { port: 8080, name: "it's", password: 'correct-horse' } },
        secrets: ['correct-horse'],
        scripts: {
          '01-first.sh': [
            '#!/bin/sh',
            '. "$HOSTWRIGHT_LIB"',
            'echo "port $(read_attrib app/port) $HOSTWRIGHT_ATTR_APP_NAME"',
            'echo "password $(read_attrib app/password)"',
            'write_wall app/url "http://x/\\"quoted\\""',
          ].join('\n'),
          '02-second.sh':
            '#!/bin/sh\necho second >&2\necho \'{"app":{"ready":true}}\' >>"$HOSTWRIGHT_WALL"\nprintf "no newline"',
        },
      });
      const evidence = await eventually(() => site.evidence(runId));
      expect(evidence).toMatchObject({
        exitCode: 0,
        wall: { app: { url: 'http://x/"quoted"', ready: true } },
        wallError: '',
      });
      expect(await site.logOf(runId)).toBe("port 8080 it's\npassword [secret]\nsecond\nno newline");
      await nothingLeft(machine);
    });

    test('says which script failed and with what', async () => {
      const machine = createMachine(shell);
      const nodeId = await up(machine);
      const { runId } = await site.offer({
        nodeId,
        scripts: {
          '01-bad.sh': '#!/bin/sh\necho trouble\nexit 7\n',
          '02-never.sh': '#!/bin/sh\necho never\n',
        },
      });
      const evidence = await eventually(() => site.evidence(runId));
      expect(evidence).toMatchObject({ exitCode: 7, reason: '', script: '01-bad.sh' });
      expect(await site.logOf(runId)).toBe('trouble');
    });

    test('timeout and cancel end the whole process group, deaf children included', async () => {
      const machine = createMachine(shell);
      const nodeId = await up(machine);
      const deaf = `#!/bin/sh\ntrap '' TERM\n( trap '' TERM; while :; do sleep 1; done ) &\necho $! $$\nwhile :; do sleep 1; done\n`;
      const late = await site.offer({
        nodeId,
        scripts: { '01.sh': deaf },
        timeoutSeconds: 1,
        lane: 'host',
      });
      const wanted = await site.offer({ nodeId, scripts: { '01.sh': deaf }, lane: 'service' });
      await eventually(() => site.logOf(wanted.runId));
      await transaction(site.database.db, (tx) => cancelTask(tx, { runId: wanted.runId }));
      expect(await eventually(() => site.evidence(late.runId))).toMatchObject({
        exitCode: 124,
        reason: 'timeout',
      });
      expect(await eventually(() => site.evidence(wanted.runId))).toMatchObject({
        exitCode: 143,
        reason: 'cancelled',
      });
      const pids = `${await site.logOf(late.runId)} ${await site.logOf(wanted.runId)}`.split(/\s+/);
      expect(pids).toHaveLength(4);
      expect(pids.filter(alivePid)).toEqual([]);
      await nothingLeft(machine);
    });

    test('a server restarted in mid-run gets all output and the result, once', async () => {
      const machine = createMachine(shell);
      const nodeId = await up(machine);
      const { runId } = await site.offer({
        nodeId,
        scripts: {
          '01.sh': `#!/bin/sh\necho begin >>${machine.home}/ran\necho begin\nuntil [ -e ${machine.home}/go ]; do sleep 0.1; done\necho end\n`,
        },
      });
      await eventually(() => site.logOf(runId));
      await site.restart();
      await machine.sh(`touch ${machine.home}/go`);
      await eventually(() => site.evidence(runId));
      expect(await site.logOf(runId)).toBe('begin\nend');
      expect(readFileSync(join(machine.home, 'ran'), 'utf8')).toBe('begin\n');
    });

    test('an agent killed in mid-run comes back to the same run, which ran once', async () => {
      const machine = createMachine(shell);
      const nodeId = await up(machine);
      const { runId } = await site.offer({
        nodeId,
        scripts: {
          '01.sh': `#!/bin/sh\necho begin >>${machine.home}/ran\necho begin\nuntil [ -e ${machine.home}/go ]; do sleep 0.1; done\n`,
        },
      });
      await eventually(() => site.logOf(runId));
      await machine.stop('SIGKILL');
      machine.serve();
      await machine.sh(`touch ${machine.home}/go`);
      expect(await eventually(() => site.evidence(runId))).toMatchObject({ exitCode: 0 });
      expect(readFileSync(join(machine.home, 'ran'), 'utf8')).toBe('begin\n');
    });

    test('a fenced run is ended before its successor begins', async () => {
      const machine = createMachine(shell);
      const nodeId = await up(machine);
      // a lock of their own: if the two overlapped, the second could not take it
      const exclusive = `#!/bin/sh\nmkdir ${machine.home}/alone || { echo overlap; exit 9; }\ntrap 'rmdir ${machine.home}/alone; exit 1' TERM\necho in\n`;
      const first = await site.offer({
        nodeId,
        scripts: { '01.sh': `${exclusive}while :; do sleep 0.1; done\n` },
      });
      await eventually(() => site.logOf(first.runId));
      await site.endRun(first.runId);
      const second = await site.offer({
        nodeId,
        scripts: { '01.sh': `${exclusive}rmdir ${machine.home}/alone\n` },
      });
      expect(await eventually(() => site.evidence(second.runId))).toMatchObject({ exitCode: 0 });
      expect(await site.logOf(second.runId)).toBe('in');
      expect(await site.evidence(first.runId)).toBeUndefined();
      await nothingLeft(machine);
    });

    test('hostile names and serials are text and nothing else', async () => {
      const machine = createMachine(shell);
      const evil = Buffer.concat([
        Buffer.from(
          `"; $(touch ${machine.home}/pwned) \`touch ${machine.home}/pwned\` \\ ' \t\u0001`,
        ),
        Buffer.from([0xff, 0xc3, 0x28, 0xe2, 0x82]),
        Buffer.from('é€😀</script>'),
        Buffer.from('\nsecond line"}'),
      ]);
      for (const path of [
        'proc/sys/kernel/hostname',
        'sys/class/dmi/id/product_serial',
        'sys/class/dmi/id/sys_vendor',
        'sys/class/dmi/id/product_name',
        'sys/block/sda/device/serial',
        'sys/block/sda/device/model',
        'sys/block/sda/queue/rotational',
        'sys/class/net/eth0/speed',
        'etc/machine-id',
      ])
        machine.write(path, evil);
      machine.write('etc/os-release', `ID="$(touch ${machine.home}/pwned)"\n`);
      machine.write('sys/block/-rf $(touch pwned) "/size', '100\n');
      const nodeId = await up(machine);
      const found = await sql<{
        name: string;
        discovery: { disks: { name: string; serial: string }[]; dmi: { serial: string } };
      }>`
        select name, discovery from node where id = ${nodeId}`.execute(site.database.db);
      const node = found.rows[0];
      expect(node?.name).toMatch(/^d02-/);
      expect(node?.discovery.dmi.serial).toContain('$(touch');
      expect(node?.discovery.dmi.serial).toContain('é€😀</script>');
      expect(node?.discovery.dmi.serial).not.toContain('second line');
      expect(node?.discovery.disks.map((disk) => disk.name)).toContain('sda');
      expect(existsSync(join(machine.home, 'pwned'))).toBe(false);
    });
  });
});

test.skipIf(!peer('wget'))('GNU wget does as well as curl', async () => {
  const machine = createMachine('dash', 'wget');
  const nodeId = await up(machine);
  const { runId } = await site.offer({
    nodeId,
    scripts: { '01.sh': '#!/bin/sh\necho by wget\n' },
  });
  expect(await eventually(() => site.evidence(runId))).toMatchObject({ exitCode: 0 });
  expect(await site.logOf(runId)).toBe('by wget');
});

test('two lanes of a machine work at once', async () => {
  const machine = createMachine('dash');
  const nodeId = await up(machine);
  // each waits for the other: if one had to wait its turn, neither would end
  const meet = (mine: string, other: string): string =>
    `#!/bin/sh\ntouch ${machine.home}/${mine}\nuntil [ -e ${machine.home}/${other} ]; do sleep 0.1; done\n`;
  const host = await site.offer({ nodeId, scripts: { '01.sh': meet('a', 'b') } });
  const service = await site.offer({
    nodeId,
    scripts: { '01.sh': meet('b', 'a') },
    lane: 'service',
  });
  expect(await eventually(() => site.evidence(host.runId))).toMatchObject({ exitCode: 0 });
  expect(await eventually(() => site.evidence(service.runId))).toMatchObject({ exitCode: 0 });
});

test('a reboot is acknowledged, reported, and then done', async () => {
  const machine = createMachine('dash');
  const nodeId = await up(machine);
  const { runId } = await site.offer({ nodeId, scripts: {}, action: 'reboot' });
  expect(await eventually(() => site.evidence(runId))).toMatchObject({ reason: 'rebooting' });
  await eventually(() => existsSync(join(machine.home, 'rebooted')));
});

test('a run cut off by a reboot is reported as that, in the new boot, and not run again', async () => {
  const machine = createMachine('dash');
  const nodeId = await up(machine);
  const { runId } = await site.offer({
    nodeId,
    scripts: {
      '01.sh': `#!/bin/sh\necho x >>${machine.home}/ran\necho in\nwhile [ -e ${machine.home}/ran ]; do sleep 0.1; done\n`,
    },
  });
  await sql`update run set expects_reboot = true where id = ${runId}`.execute(site.database.db);
  await eventually(() => site.logOf(runId));
  await machine.stop();
  machine.reboot();
  machine.serve();
  expect(await eventually(() => site.evidence(runId))).toMatchObject({ reason: 'rebooted' });
  expect(readFileSync(join(machine.home, 'ran'), 'utf8')).toBe('x\n');
});

test('a token is replaced when it is old, and the old one is dead', async () => {
  const machine = createMachine('dash');
  const nodeId = await joinNode(machine);
  const old = readFileSync(join(machine.state, 'token'), 'utf8').trim();
  await sql`update node_token set rotated_at = now() - interval '2 days' where node_id = ${nodeId}`.execute(
    site.database.db,
  );
  machine.serve();
  await eventually(() => isAlive(nodeId));
  expect(readFileSync(join(machine.state, 'token'), 'utf8').trim()).not.toBe(old);
  const answer = await site.server().app.inject({
    url: '/agent/v1/live?boot=x',
    headers: { authorization: `Bearer ${old}` },
  });
  expect(answer.statusCode).toBe(401);
});

test('a wrong fingerprint stops the join before the token is shown to anybody', async () => {
  const machine = createMachine('dash');
  machines.push(machine);
  const token = await site.joinToken(1);
  const said = await machine.join({ url: site.url, token, fingerprint: 'ab'.repeat(32) });
  expect(said.code).toBe(1);
  expect(said.err).toContain('is not the one expected');
  const left = await sql<{
    n: number;
  }>`select count(*)::int as n from token where kind = 'join' and uses_left = 1`.execute(
    site.database.db,
  );
  expect(left.rows[0]?.n).toBeGreaterThan(0);
});

test('a used-up join token is refused in one sentence', async () => {
  const machine = createMachine('dash');
  machines.push(machine);
  const said = await machine.join({
    url: site.url,
    token: await site.joinToken(0),
    fingerprint: site.fingerprint,
  });
  expect(said.code).toBe(1);
  expect(said.err).toMatch(/the server refused this machine \(401\)/);
});

test('the tokens are in no process list', async () => {
  const machine = createMachine('dash');
  await up(machine);
  const token = readFileSync(join(machine.state, 'token'), 'utf8').trim();
  const commandLines = () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        } catch {
          return [];
        }
      });
  const lines = await eventually(
    () => {
      const all = commandLines();
      return all.some((line) => line.includes('/agent/v1/task')) && all;
    },
    { what: 'an agent that polls' },
  );
  expect(lines.filter((line) => line.includes(token))).toEqual([]);
});
