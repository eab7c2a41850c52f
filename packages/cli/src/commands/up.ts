/** Everything on one machine until Ctrl-C. Whatever goes wrong is one sentence, and nothing is left running. */
import { dataDir } from '../data-dir.ts';
import { Failure } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { readListenOptions } from '../listen-options.ts';
import { showBanner } from '../up/banner.ts';
import { findPort } from '../up/find-port.ts';
import { takeLock } from '../up/lock.ts';
import { openDataDir } from '../up/open-data-dir.ts';
import { superviseChild } from '../up/supervise.ts';
import { untilStopped } from '../up/until-stopped.ts';

export const run = async (call: Invocation): Promise<void> => {
  const { out } = call;
  const options = {
    folder: dataDir(call.text('data-dir')),
    listen: readListenOptions(call),
    simulated: call.flag('simulator')
      ? (call.number('simulate', { least: 0, most: 10_000 }) ?? 12)
      : 0,
    buildConsole: call.flag('console-build'),
  };
  // what is likeliest to be wrong is looked at before the engine is even loaded
  openDataDir(options.folder);
  const unlock = takeLock(options.folder);
  const port = await findPort(options.listen.host, options.listen.port).catch((error: unknown) => {
    unlock();
    throw error;
  });
  const { asked, signal: stopped } = untilStopped();
  const ending = new AbortController();
  const signal = AbortSignal.any([stopped, ending.signal]);
  const undo: (() => Promise<void> | void)[] = [unlock];
  const tell = (text: string): void => {
    if (!signal.aborted) out.note(`hostwright: ${text}`);
  };
  const undoAll = async (): Promise<void> => {
    ending.abort();
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  };
  const listen = { ...options.listen, port };
  const { bringUp } = await import('../up/bring-up.ts');
  const starting = bringUp(
    { ...options, listen },
    {
      signal,
      tell,
      undo: (step) => undo.push(step),
      keep: (spec) => {
        if (signal.aborted) throw new Failure('failed', 'stopped while starting');
        const child = superviseChild(spec, tell);
        undo.push(() => child.stop());
        return child;
      },
    },
  );
  try {
    const running = await Promise.race([starting, asked.then(() => undefined)]);
    if (running !== undefined) {
      out.answer(running, () => showBanner(out, running));
      if (!call.flag('exit-when-ready')) await asked;
    }
    out.line('stopping ...');
  } finally {
    // stopped in the middle of starting: what was begun meanwhile is undone as well
    await undoAll();
    await starting.catch(() => {});
    await undoAll();
  }
};
