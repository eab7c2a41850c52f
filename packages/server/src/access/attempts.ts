/**
 * How often somebody may try to sign in: by name, so that one password is not guessed; by address,
 * so that many are not. Kept in memory: a restart forgives, a second server doubles, both harmless.
 */
import { HostwrightError } from '@hostwright/core';

const WINDOW_MS = 5 * 60_000;
const LIMITS = { name: 10, address: 50 } as const;
const MOST_KEYS = 20_000;

export interface Attempts {
  /**
   * Throws too_many_requests if there have been too many failures. Counts as one until it is known
   * to have succeeded: a thousand guesses sent at once must not all be looked at.
   */
  begin(name: string, address: string): void;
  succeeded(name: string, address: string): void;
}

export const createAttempts = (now: () => number = Date.now): Attempts => {
  const failures = new Map<string, number[]>();
  const recent = (key: string): number[] => {
    const kept = (failures.get(key) ?? []).filter((at) => now() - at < WINDOW_MS);
    if (kept.length === 0) failures.delete(key);
    return kept;
  };
  const add = (key: string): void => {
    // oldest out first: somebody who invents names must not fill the memory
    if (failures.size >= MOST_KEYS) {
      const oldest = failures.keys().next().value;
      if (oldest !== undefined) failures.delete(oldest);
    }
    failures.set(key, [...recent(key), now()].slice(-LIMITS.address));
  };
  return {
    begin(name, address) {
      const tooMany =
        recent(`name ${name} ${address}`).length >= LIMITS.name ||
        recent(`address ${address}`).length >= LIMITS.address;
      if (tooMany)
        throw new HostwrightError('too_many_requests', {
          message: 'too many failed sign-ins; wait five minutes',
        });
      add(`name ${name} ${address}`);
      add(`address ${address}`);
    },
    succeeded(name, address) {
      failures.delete(`name ${name} ${address}`);
      // the good one is taken back, the wrong ones of others at this address stay
      const others = recent(`address ${address}`).slice(0, -1);
      if (others.length === 0) failures.delete(`address ${address}`);
      else failures.set(`address ${address}`, others);
    },
  };
};
