/** Completion as the shells themselves do it, with their real programs. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { peer } from '@hostwright/testkit';
import { afterAll, expect, test } from 'vitest';

const BIN = fileURLToPath(new URL('../bin', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hostwright-completion-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (program: string, args: readonly string[]): string => {
  const { stdout, stderr, status } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout: 50_000,
    env: {
      ...process.env,
      HOME: folder,
      TERM: 'dumb',
      PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}`,
    },
  });
  expect(status, stderr).toBe(0);
  return stdout;
};

test.skipIf(!peer('bash'))('bash completes a verb', () => {
  const script = `source <(hostwright completion bash)
    COMP_WORDS=(hostwright node sho); COMP_CWORD=2; _hostwright; echo "\${COMPREPLY[@]}"`;
  expect(run('bash', ['--norc', '-c', script])).toBe('show\n');
});

test.skipIf(!peer('fish'))('fish completes a verb', () => {
  const script = 'hostwright completion fish | source; complete -C "hostwright node sho"';
  expect(run('fish', ['--no-config', '-c', script])).toBe('show\n');
});

// the Tab key, pressed in an interactive zsh on a terminal of its own
test.skipIf(!peer('zsh'))('zsh completes a verb', () => {
  const script = `zmodload zsh/zpty
    zpty -b z zsh -f -i
    zpty -w z "PS1=; autoload -Uz compinit && compinit -u -d ${folder}/dump && source <(hostwright completion zsh) && print READ''Y"
    zpty -r -m z out '*READY*' || exit 1
    zpty -w -n z $'hostwright node sho\\t'
    zpty -r -m z out '*show*' || exit 2
    zpty -d z
    print -r -- "\${out##*hostwright }"`;
  expect(run('zsh', ['-f', '-c', script]).trim()).toBe('node show');
});

test('it runs through the link that npm makes for a package of the workspace', () => {
  const link = fileURLToPath(
    new URL('../../../node_modules/@hostwright/cli/bin/hostwright', import.meta.url),
  );
  expect(run(link, ['--version'])).toMatch(/\d/);
});
