import { setTimeout as sleep } from 'node:timers/promises';
import { HammerError, type PowerState } from './hammer.ts';

/** A BMC says "ok" before anything has happened, and some say it when nothing will: look until it is so. */
export const awaitPower = async (
  status: () => Promise<PowerState>,
  wanted: PowerState,
  seconds: number,
): Promise<void> => {
  const limit = performance.now() + seconds * 1000;
  for (;;) {
    if ((await status()) === wanted) return;
    if (performance.now() > limit) {
      throw new HammerError(
        'lied',
        `the BMC took the command, but the machine is not ${wanted} after ${seconds} s`,
      );
    }
    await sleep(200);
  }
};
