/** `npm run check`: types, lint, formatting and unused code; no test is run. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const CHECKS: readonly (readonly [string, readonly string[]])[] = [
  ['types', ['tsc', '-p', 'tsconfig.json']],
  ['console types', ['tsc', '-p', 'packages/console/tsconfig.json']],
  ['lint', ['oxlint', '--type-aware', 'packages', 'barclamps', 'scripts', 'tests', 'bench']],
  [
    'format',
    ['oxfmt', '--check', 'packages', 'barclamps', 'scripts', 'tests', 'bench', 'vitest.config.ts'],
  ],
];

export const runChecks = (say: (line: string) => void): boolean =>
  CHECKS.map(([name, [program = '', ...args]]) => {
    const started = performance.now();
    const ended = spawnSync(program, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    say(
      `${name} ${ended.status === 0 ? 'ok' : 'FAILED'} (${((performance.now() - started) / 1000).toFixed(1)} s)`,
    );
    return ended.status === 0;
  }).every(Boolean);

if (import.meta.main) {
  process.exit(runChecks((line) => console.log(`hostwright: ${line}`)) ? 0 : 1);
}
