/**
 * Makes a machine boot from the network, now: set the boot device if some hammer can, then power if
 * some hammer can, else ask the running system. Says how, or every reason why not.
 */
import type { Hammer } from './hammer.ts';

export type Restarted =
  | { readonly ok: true; readonly how: string; readonly notes: readonly string[] }
  | { readonly ok: false; readonly reasons: readonly string[] };

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const restartIntoNetwork = async (hammers: readonly Hammer[]): Promise<Restarted> => {
  const reasons: string[] = [];
  for (const hammer of hammers.filter((one) => one.bootDevice !== undefined)) {
    try {
      await hammer.bootDevice?.setOnce('network');
      break;
    } catch (error) {
      // not fatal: machines of a lab and many racks try the network first anyway
      reasons.push(`boot device by ${hammer.kind}: ${text(error)}`);
    }
  }
  for (const hammer of hammers.filter((one) => one.power !== undefined)) {
    try {
      await hammer.power?.reset();
      return { ok: true, how: `power by ${hammer.kind}`, notes: reasons };
    } catch (error) {
      reasons.push(`power by ${hammer.kind}: ${text(error)}`);
    }
  }
  for (const hammer of hammers.filter((one) => one.reboot !== undefined)) {
    try {
      await hammer.reboot?.reboot();
      return { ok: true, how: `reboot by ${hammer.kind}`, notes: reasons };
    } catch (error) {
      reasons.push(`reboot by ${hammer.kind}: ${text(error)}`);
    }
  }
  return {
    ok: false,
    reasons: reasons.length > 0 ? reasons : ['the node has no hammer that can restart it'],
  };
};
