/** Starts a daemon and waits until it shows that it serves; its last words are the reason if not. */
import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HostwrightError } from '@hostwright/core';
import { oneLine } from '../valid.ts';
import { findDaemon, forgetDaemon, rememberDaemon, type Daemon } from './daemon.ts';
import { stopDaemon } from './stop.ts';
import { hasSystemd, startUnit } from './systemd.ts';

const PATIENCE_MS = 20_000;

export interface StartOptions {
  /** Answers as soon as the daemon serves. */
  readonly ready: () => Promise<boolean>;
  /** More files in which it may have said why it ended. */
  readonly logs?: readonly string[];
}

const lastWords = async (files: readonly string[]): Promise<string> => {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  const lines = texts
    .flatMap((text) => text.trim().split('\n').slice(-3))
    .filter((line) => line !== '');
  return oneLine(lines.join(' '), 400);
};

/** Detached, with a file for what it says: a pipe would end with its reader. */
const spawnDetached = async (
  daemon: Daemon,
  errors: string,
): Promise<{ pid: number; ended: Promise<number> }> => {
  const sink = await open(errors, 'w');
  const words = [...(daemon.within ?? []), ...daemon.command];
  const child = spawn(words[0] ?? '', words.slice(1), {
    cwd: '/',
    detached: true,
    stdio: ['ignore', sink.fd, sink.fd],
    // nothing else of ours: a daemon that listens to the network must not know the master key
    env: { PATH: process.env['PATH'], LANG: 'C.UTF-8', ...daemon.env },
  });
  // listened to before anything is waited for: it may end at once
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(127));
    child.once('exit', (code) => resolve(code ?? 1));
  });
  child.unref();
  await sink.close();
  return { pid: child.pid ?? 0, ended };
};

export const startDaemon = async (daemon: Daemon, options: StartOptions): Promise<number> => {
  await stopDaemon(daemon);
  const errors = join(daemon.folder, `${daemon.name}.err`);
  const systemd = hasSystemd() && (daemon.within ?? []).length === 0;
  const { pid, ended } = systemd
    ? { pid: await startUnit(daemon), ended: new Promise<number>(() => {}) }
    : await spawnDetached(daemon, errors);
  await rememberDaemon(daemon, pid);
  const limit = performance.now() + PATIENCE_MS;
  let gone = false;
  for (let wait = 5; performance.now() < limit; wait = Math.min(wait * 2, 100)) {
    // `ip netns exec` becomes the daemon a moment later: only then is it itself
    if ((await findDaemon(daemon)) !== null && (await options.ready())) return pid;
    gone = (await Promise.race([ended, sleep(wait, null)])) !== null;
    if (gone) break;
  }
  const said = await lastWords([errors, ...(options.logs ?? [])]);
  await stopDaemon(daemon);
  await forgetDaemon(daemon);
  throw new HostwrightError('unavailable', {
    message: `${daemon.name} ${gone ? 'ended at once' : 'does not answer'}: ${said === '' ? 'it said nothing' : said}`,
  });
};
