/** The shell files themselves: every shell parses them, shellcheck finds nothing, the command pins. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { agentScript, joinCommand, joinScript } from '@hostwright/agent';
import { eventually, peer } from '@hostwright/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMachine } from './machine.ts';
import { createSite, type Site } from './site.ts';

const jig = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../jigs/src/script/${name}`, import.meta.url)), 'utf8');

const FILES = {
  agent: agentScript(),
  join: joinScript({ url: 'https://h' }),
  runner: jig('runner.sh'),
  lib: jig('lib.sh'),
  begin: jig('ssh/begin.sh'),
  after: jig('ssh/after.sh'),
} as const;

describe.each(Object.entries(FILES))('%s', (_name, text) => {
  const shells = [['dash'], ['bash'], ['busybox', 'ash']].filter(([program]) =>
    peer(program ?? ''),
  );
  test.each(shells)('is parsed by %s', (...shell) => {
    const [program = '', ...args] = shell;
    const { status, stderr } = spawnSync(program, [...args, '-n'], {
      input: text,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  test.skipIf(spawnSync('shellcheck', ['--version']).status !== 0)('pleases shellcheck', () => {
    const args = ['-s', 'sh', '-S', 'warning', '-'];
    expect(spawnSync('shellcheck', args, { input: text, encoding: 'utf8' }).stdout).toBe('');
  });
});

test('agent and script library write JSON by the same program, for neither can load the other', () => {
  const writer = (text: string): string | undefined =>
    /awk '\n {4}function flush_bad\(\).*?END \{ flush_bad\(\); printf "\\"" \}'/s.exec(text)?.[0];
  expect(writer(FILES.lib)).toBeDefined();
  expect(writer(FILES.agent)).toBe(writer(FILES.lib));
});

describe.skipIf(!peer('curl'))('the join command', () => {
  let site: Site;
  beforeAll(async () => {
    site = await createSite();
  });
  afterAll(() => site.close());

  test('is all it takes, and takes the script from no server with another key', async () => {
    const machine = createMachine('dash');
    const { tls } = site.server().context;
    const token = await site.joinToken(1);
    const command = joinCommand({
      url: site.url,
      token,
      tls: { caPem: tls?.caPem ?? '', certificatePem: tls?.certificatePem ?? '' },
    });
    const wrong = command.replace(/sha256\/\/[^ ]+/, `sha256//${'A'.repeat(43)}=`);
    const refused = await machine.sh(`${wrong} --no-service`);
    expect(refused.err).toMatch(/public key/);
    const said = await machine.sh(`${command} --no-service`);
    expect(said.err).toMatch(/this machine is node /);
    await eventually(() => site.nodeNamed(said.err.trim().split(' ').at(-1) ?? ''));
    await machine.remove();
  });
});
