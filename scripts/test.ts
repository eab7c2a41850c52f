/**
 * `npm test`: everything a change must pass, in the order in which it fails fastest.
 * `npm test -- chaos | e2e | lab` runs one of the long suites alone, at full length.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from '../packages/cli/src/up/build-console.ts';
import { runChecks } from './check.ts';
import { installPeers } from './peers.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const [suite, ...rest] = process.argv.slice(2);
const say = (line: string) => console.log(`hostwright: ${line}`);

interface Totals {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numFailedTestSuites: number;
}

const missing = installPeers(say, suite);
if (missing.length > 0) {
  const names = missing.map((peer) => peer.name).join(', ');
  if (process.env['CI'] === 'true') {
    console.error(`hostwright: these peers are missing and could not be installed: ${names}`);
    process.exit(1);
  }
  say(`tests that need ${names} are skipped: not installed`);
}

if (suite === undefined && !runChecks(say)) process.exit(1);

// browser tests and the server's own look at the built console
const built = await buildConsole(new AbortController().signal);
if (built.note !== '') say(built.note);

const folder = mkdtempSync(join(tmpdir(), 'hostwright-results-'));
const report = join(folder, 'results.json');
const where = suite === undefined ? [] : [`tests/${suite}`];
const vitest = spawnSync(
  'vitest',
  [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...where,
    ...rest,
  ],
  {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, HOSTWRIGHT_SUITE: suite ?? 'all' },
  },
);
const totals = JSON.parse(readFileSync(report, 'utf8')) as Totals;
rmSync(folder, { recursive: true, force: true });
const failed = totals.numFailedTests + (totals.numFailedTests === 0 && vitest.status !== 0 ? 1 : 0);
console.log(
  `\n${totals.numPassedTests} passed, ${failed} failed, ${totals.numPendingTests + totals.numTodoTests} skipped`,
);
process.exit(vitest.status ?? 1);
