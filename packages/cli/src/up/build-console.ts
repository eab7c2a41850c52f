/** Builds the web console when its sources are newer than what was built last; once it is, this costs milliseconds. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../../console', import.meta.url));
export const CONSOLE_DIST = join(FOLDER, 'dist');

const newest = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (latest, entry) => Math.max(latest, statSync(join(entry.parentPath, entry.name)).mtimeMs),
      0,
    );

export type ConsoleState = 'ready' | 'missing' | 'stale';

const consoleState = (): ConsoleState => {
  const built = join(CONSOLE_DIST, 'index.html');
  const page = join(FOLDER, 'index.html');
  if (!existsSync(page)) return existsSync(built) ? 'ready' : 'missing';
  if (!existsSync(built)) return 'stale';
  // the contract is compiled into it
  const sources = ['src', 'public', '../api/src', '../core/src']
    .map((name) => join(FOLDER, name))
    .filter((folder) => existsSync(folder))
    .map(newest);
  const changed = Math.max(statSync(page).mtimeMs, ...sources);
  return changed > statSync(built).mtimeMs ? 'stale' : 'ready';
};

export interface BuildResult {
  readonly ok: boolean;
  readonly note: string;
}

export const buildConsole = async (signal: AbortSignal): Promise<BuildResult> => {
  const state = consoleState();
  if (state === 'ready') return { ok: true, note: '' };
  if (state === 'missing')
    return {
      ok: false,
      note: 'the web console has no sources here, so there are no pages to show',
    };
  const vite = join(
    dirname(createRequire(join(FOLDER, 'package.json')).resolve('vite/package.json')),
    'bin/vite.js',
  );
  const said: string[] = [];
  const child = spawn(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: FOLDER,
    signal,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => said.push(part.toString()));
  const code = await new Promise<number | null>((done) => {
    child.once('error', () => done(null));
    child.once('close', done);
  });
  if (code === 0) return { ok: true, note: '' };
  const reason = said
    .join('')
    .split('\n')
    .find((line) => /error|EACCES|EROFS/i.test(line));
  const left = existsSync(join(CONSOLE_DIST, 'index.html'));
  return {
    ok: left,
    note: `the web console could not be built (${reason?.trim().slice(0, 200) ?? 'no reason given'})${left ? '; the one built before is shown' : ''}`,
  };
};
