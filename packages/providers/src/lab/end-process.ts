import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that dies lets go of its command line long before its files: only then may others open them. */
const isOver = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // a zombie holds nothing any more, once its last thread is gone; who its parent is, is not ours to choose
    const zombie = stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
    return zombie && readdirSync(`/proc/${pid}/task`).length <= 1;
  } catch {
    return true;
  }
};

const LIMIT_MS = 60_000;

/** As a power cut: nothing is written back. Returns when nothing of it is left. */
export const endProcess = async (pid: number): Promise<void> => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return;
  }
  const limit = performance.now() + LIMIT_MS;
  while (!isOver(pid) && performance.now() < limit) await sleep(10);
};
