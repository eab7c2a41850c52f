/**
 * Keeps one child process running: started again with growing pauses when it dies, stopped when its
 * keeper stops. The child has a process group of its own, so that a Ctrl-C reaches the keeper alone
 * and things end in the right order; it ends by itself when the keeper's end of the channel closes,
 * so that kill -9 of the keeper leaves no orphans.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Failure } from '../failure.ts';

export interface ChildSpec {
  readonly name: string;
  /** Arguments of `hostwright`; or another program, which ends when its standard input does. */
  readonly args: readonly string[];
  readonly program?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** 0: it has nothing to say, and is ready as soon as it runs. */
  readonly readyWithinSeconds: number;
}

export interface Child {
  /** Resolves when it has said for the first time that it is ready; rejects if it never does. */
  readonly ready: Promise<unknown>;
  readonly name: string;
  pid(): number | undefined;
  restarts(): number;
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const LARGEST_LOG = 20 * 1024 * 1024;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
const STEADY_MS = 60_000;
const PATIENCE_MS = 20_000;

const openLog = (file: string): number => {
  if (existsSync(file) && statSync(file).size > LARGEST_LOG) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
};

const lastWords = (file: string): string => {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const said = lines.findLast((line) => line.startsWith('hostwright:')) ?? lines.at(-1) ?? '';
  return said.replace(/^hostwright: /, '').slice(0, 500);
};

export const superviseChild = (spec: ChildSpec, tell: (what: string) => void = () => {}): Child => {
  const ready = Promise.withResolvers<unknown>();
  ready.promise.catch(() => {});
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  let everReady = false;
  let restarts = 0;

  const runOnce = async (): Promise<void> => {
    const log = openLog(spec.logFile);
    const own = spec.program === undefined;
    const command = spec.program ?? process.execPath;
    const started = spawn(command, own ? [MAIN, ...spec.args] : spec.args, {
      cwd: '/',
      detached: true,
      stdio: own ? ['ignore', log, log, 'ipc'] : ['pipe', log, log],
      env: { ...process.env, ...spec.env, NO_COLOR: '1' },
    });
    closeSync(log);
    child = started;
    started.on('message', (message) => {
      everReady = true;
      ready.resolve(message);
    });
    if (spec.readyWithinSeconds === 0)
      started.once('spawn', () => {
        everReady = true;
        ready.resolve(undefined);
      });
    const ended = Promise.withResolvers<string>();
    started.once('error', (error) => ended.resolve(error.message));
    started.once('exit', (code, signal) => ended.resolve(signal ?? `exit code ${code}`));
    const how = await ended.promise;
    child = undefined;
    if (stopping.signal.aborted) return;
    if (!everReady)
      throw new Failure('failed', `the ${spec.name} did not start: ${lastWords(spec.logFile)}`, {
        advice: `its log is ${spec.logFile}`,
      });
    tell(`the ${spec.name} ended (${how}) and is started again; its log is ${spec.logFile}`);
  };

  const keep = async (): Promise<void> => {
    let pause = FIRST_PAUSE_MS;
    while (!stopping.signal.aborted) {
      const began = performance.now();
      await runOnce();
      if (stopping.signal.aborted) return;
      pause = performance.now() - began > STEADY_MS ? FIRST_PAUSE_MS : pause;
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {});
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      restarts++;
    }
  };

  const kept = keep().catch((error: unknown) => ready.reject(error));
  const late = setTimeout(() => {
    if (spec.readyWithinSeconds === 0) return;
    ready.reject(
      new Failure(
        'failed',
        `the ${spec.name} was not ready within ${spec.readyWithinSeconds} seconds`,
        { advice: `its log is ${spec.logFile}` },
      ),
    );
  }, spec.readyWithinSeconds * 1000);
  void ready.promise.finally(() => clearTimeout(late)).catch(() => {});

  return {
    name: spec.name,
    ready: ready.promise,
    pid: () => child?.pid,
    restarts: () => restarts,
    stop: async () => {
      stopping.abort();
      clearTimeout(late);
      ready.reject(new Failure('failed', `the ${spec.name} was stopped`));
      child?.kill('SIGTERM');
      const patience = setTimeout(() => child?.kill('SIGKILL'), PATIENCE_MS);
      await kept;
      clearTimeout(patience);
    },
  };
};
