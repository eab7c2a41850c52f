/** A private virtual rack to try things on: real boots, real installs, nothing that reaches a real network. */
import { join } from 'node:path';
import { missingForRack } from '@hostwright/server';
import { dataDir } from '../../data-dir.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';
import { bringUpLab } from '../../lab/bring-up-lab.ts';
import { takeLock } from '../../up/lock.ts';
import { openDataDir } from '../../up/open-data-dir.ts';
import { untilStopped } from '../../up/until-stopped.ts';

/** What stands in brackets is no package. */
const adviceFor = (missing: readonly string[]): string => {
  const packages = missing.filter((one) => !one.startsWith('('));
  if (missing.includes('(root)')) return 'run it as root';
  return packages.length > 0
    ? `on Debian: apt install ${packages.join(' ')}`
    : 'run it on a machine, or in a container, that may make these';
};

export const run = async (call: Invocation): Promise<void> => {
  const missing = missingForRack();
  if (missing.length > 0)
    throw new Failure(
      'surroundings',
      `a rack cannot be built here; missing: ${missing.map((one) => one.replace(/[()]/g, '')).join(', ')}`,
      { advice: adviceFor(missing) },
    );
  const { out } = call;
  const home = join(dataDir(call.text('data-dir')), 'lab');
  const options = {
    home,
    machines: call.number('machines', { least: 1, most: 16 }) ?? 3,
    port: call.number('port', { least: 1, most: 65_535 }) ?? 4690,
    memory: call.number('memory', { least: 256, most: 65_536 }) ?? 768,
  };
  openDataDir(home);
  const unlock = takeLock(home);
  const { asked, signal } = untilStopped();
  const undo: (() => Promise<void> | void)[] = [unlock];
  const undoAll = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  };
  const starting = bringUpLab(options, { out, signal, undo: (step) => undo.push(step) });
  try {
    await Promise.race([starting, asked]);
    await asked;
    out.line('stopping: machines, BMCs, namespace ...');
  } finally {
    // stopped in the middle of starting: what was begun meanwhile is undone as well
    await starting.catch(() => {});
    await undoAll();
  }
  out.line(`nothing is left running; disks and data stay in ${home}`);
};
