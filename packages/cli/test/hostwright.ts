/** Runs the real program as a user would, and sees what it prints, how it ends and what it leaves running. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../bin/hostwright', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Started {
  readonly pid: number;
  out(): string;
  err(): string;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

export const startHostwright = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Started => {
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !name.startsWith('HOSTWRIGHT_') && name !== 'DATABASE_URL',
    ),
  );
  const child = spawn(PROGRAM, args, { env: { ...clean, ...env }, stdio: 'pipe' });
  let out = '';
  let err = '';
  child.stdout.on('data', (part: Buffer) => (out += part.toString()));
  child.stderr.on('data', (part: Buffer) => (err += part.toString()));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return {
    pid: child.pid ?? 0,
    out: () => out,
    err: () => err,
    kill: (signal) => void child.kill(signal),
    ended: new Promise((done) => child.once('close', (code) => done({ code, out, err }))),
  };
};

export const hostwright = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Ended> => startHostwright(args, env, input).ended;

/** Processes whose command line or environment names the folder: what `up` must not leave behind. */
export const processesOf = (folder: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return command.includes(folder) ? [`${pid} ${command}`] : [];
      } catch {
        return [];
      }
    });
