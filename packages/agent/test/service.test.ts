/** What keeps the agent running on a machine: taken by the real systemd, carried out by a real cron. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentScript } from '@hostwright/agent';
import { eventually, peer } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { createMachine } from './machine.ts';
import { createSite } from './site.ts';

const verify = (name: string, unit: string): { status: number | null; said: string } => {
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-unit-'));
  try {
    writeFileSync(join(folder, name), unit);
    const { status, stderr } = spawnSync(
      'systemd-analyze',
      ['verify', '--man=no', join(folder, name)],
      { encoding: 'utf8' },
    );
    // it also reads whatever else is installed; only what it says of ours counts
    const said = stderr.split('\n').filter((line) => line.includes(name));
    return { status, said: said.join('\n') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const unitOf = (): string =>
  spawnSync('sh', ['-s', 'unit'], {
    input: agentScript(),
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOSTWRIGHT_STATE: '/var/lib/hostwright-agent' },
  }).stdout;

test.skipIf(!peer('systemd'))('systemd finds nothing wrong with the unit of the agent', () => {
  const unit = unitOf();
  expect(unit).toContain('ExecStart=/bin/sh /var/lib/hostwright-agent/agent serve');
  expect(verify('hostwright-agent.service', unit)).toEqual({ status: 0, said: '' });
  const wrong = unit.replace('Restart=always', 'Restart=allways').replace('/bin/sh', '/bin/shh');
  expect(verify('hostwright-agent.service', wrong)).toMatchObject({
    status: 1,
    said: expect.stringContaining('allways'),
  });
});

test.skipIf(!peer('systemd'))('nor with the units of server and worker', () => {
  const folder = fileURLToPath(new URL('../../../deploy/', import.meta.url));
  const units = readdirSync(folder).filter((name) => name.endsWith('.service'));
  expect(units.length).toBeGreaterThan(0);
  for (const name of units) {
    const text = readFileSync(join(folder, name), 'utf8');
    // the program is not installed here: it is looked for before anything else is
    const here = text.replaceAll(/^(Exec\w+=[-+!@:]*)\/\S+/gm, '$1/bin/true');
    expect({ name, ...verify(name, here) }).toEqual({ name, status: 0, said: '' });
  }
});

test.skipIf(!peer('busybox') || process.getuid?.() !== 0)(
  'where there is no systemd, cron starts the agent within a minute, and once',
  { timeout: 150_000 },
  async () => {
    const site = await createSite();
    const machine = createMachine('dash');
    const { url, fingerprint } = site;
    const joined = await machine.join({ url, fingerprint, token: await site.joinToken(1) });
    expect(joined).toMatchObject({ code: 0 });
    const { out } = await machine.sh('sh "$HOSTWRIGHT_STATE/agent" cron');
    expect(out.trim().split('\n')).toHaveLength(1);
    const tables = join(machine.home, 'crontabs');
    mkdirSync(tables);
    // twice: the second finds the first at work
    writeFileSync(join(tables, 'root'), `${out}${out}`, { mode: 0o600 });
    const cron = spawn('busybox', [
      'crond',
      '-f',
      '-c',
      tables,
      '-L',
      join(machine.home, 'cron.log'),
    ]);
    const ended = new Promise((resolve) => cron.once('exit', resolve));
    try {
      await eventually(() => site.connected() === 1, { limitSeconds: 90 });
      const agents = readdirSync('/proc').filter((pid) => {
        try {
          const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
          return words[1] === join(machine.state, 'agent') && words[2] === 'serve';
        } catch {
          return false;
        }
      });
      const parents = agents.filter(
        (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[3] === pid,
      );
      expect(parents).toHaveLength(1);
    } finally {
      cron.kill();
      await ended;
      await machine.sh('sh "$HOSTWRIGHT_STATE/agent" uninstall');
      await eventually(() => site.connected() === 0);
      await machine.remove();
      await site.close();
    }
  },
);
