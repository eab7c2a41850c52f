/**
 * What a lab that was killed has left behind: its namespace with everything in it (bridge, taps, QEMU,
 * dnsmasq) and its BMCs. All of it is found by what lies in the lab's own folder, so that nothing of
 * anybody else's is ever touched.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess } from './end-process.ts';
import { runCommand } from './run-command.ts';

export const namespaceFile = (home: string): string => join(home, 'namespace');
const NAMESPACE = /^hwlab-[0-9a-f]{6}$/;

/** The process of a pid file, if it is still the one that this folder is about. */
const ownProcess = (file: string, folder: string): number | null => {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (!/^\d+$/.test(text)) return null;
  try {
    return readFileSync(`/proc/${text}/cmdline`, 'utf8').includes(folder) ? Number(text) : null;
  } catch {
    return null;
  }
};

const removeNamespace = async (home: string): Promise<string[]> => {
  const file = namespaceFile(home);
  const name = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  const removed: string[] = [];
  if (NAMESPACE.test(name) && existsSync(`/run/netns/${name}`)) {
    const pids = (await runCommand(['ip', 'netns', 'pids', name])).split('\n').filter(Boolean);
    for (const pid of pids) await endProcess(Number(pid));
    await runCommand(['ip', 'netns', 'del', name]);
    removed.push(`namespace ${name} with ${pids.length} processes`);
  }
  rmSync(file, { force: true });
  return removed;
};

/** Says what was there; nothing, after a lab that ended as it should. */
export const removeLeftovers = async (home: string): Promise<readonly string[]> => {
  const removed = await removeNamespace(home);
  const machines = join(home, 'machines');
  for (const name of existsSync(machines) ? readdirSync(machines) : []) {
    const folder = join(machines, name);
    const machine = ownProcess(join(folder, 'pid'), folder);
    const bmc = ownProcess(join(folder, 'bmc/pid'), folder);
    for (const [what, pid] of [
      ['machine', machine],
      ['BMC', bmc],
    ] as const) {
      if (pid === null) continue;
      await endProcess(pid);
      removed.push(`${what} ${name}`);
    }
    rmSync(join(folder, 'pid'), { force: true });
    rmSync(join(folder, 'bmc/pid'), { force: true });
  }
  return removed;
};
