import { setTimeout as sleep } from 'node:timers/promises';
import { findDaemon, forgetDaemon, isEnding, type Daemon } from './daemon.ts';
import { hasSystemd, stopUnit } from './systemd.ts';

const PATIENCE_MS = 5000;

/** Asks it to end, and ends it if it does not. What is not running is already stopped. */
export const stopDaemon = async (daemon: Pick<Daemon, 'folder' | 'name'>): Promise<void> => {
  if (hasSystemd()) await stopUnit(daemon);
  const limit = performance.now() + PATIENCE_MS;
  const asked = await findDaemon(daemon);
  if (asked !== null) process.kill(asked, 'SIGTERM');
  for (;;) {
    const pid = await findDaemon(daemon);
    if (pid === null) break;
    if (performance.now() > limit) process.kill(pid, 'SIGKILL');
    await sleep(10);
  }
  // its ports are free only then: who starts it again would take it for a stranger that holds them
  const ended = performance.now() + PATIENCE_MS;
  while ((await isEnding(daemon)) && performance.now() < ended) await sleep(5);
  await forgetDaemon(daemon);
};
