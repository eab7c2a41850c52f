/**
 * Joins are the one call that anybody on the network can make with made-up credentials, and good
 * ones are the heaviest that machines make. Too many that wait are sent away; an address that keeps
 * giving wrong tokens is not listened to for a while.
 */
import { HostwrightError } from '@hostwright/core';

export interface JoinGate {
  /** Throws `too_many_requests` instead of running the body. */
  pass<Result>(address: string, body: () => Promise<Result>): Promise<Result>;
}

const QUEUE = 2000;
const WRONG_PER_MINUTE = 20;
const MINUTE_MS = 60_000;
const MOST_ADDRESSES = 10_000;

export const createJoinGate = (): JoinGate => {
  const wrong = new Map<string, { count: number; until: number }>();
  let inside = 0;

  const tooMany = (seconds: number): HostwrightError =>
    new HostwrightError('too_many_requests', { public: { retryAfterSeconds: seconds } });

  const countWrong = (address: string): void => {
    const now = performance.now();
    if (wrong.size >= MOST_ADDRESSES) wrong.clear();
    const seen = wrong.get(address);
    if (seen === undefined || seen.until < now)
      wrong.set(address, { count: 1, until: now + MINUTE_MS });
    else seen.count++;
  };

  return {
    pass: async (address, body) => {
      const seen = wrong.get(address);
      if (seen !== undefined && seen.until > performance.now() && seen.count >= WRONG_PER_MINUTE)
        throw tooMany(60);
      if (inside >= QUEUE) throw tooMany(5);
      inside++;
      try {
        return await body();
      } catch (error) {
        if (error instanceof HostwrightError && error.code === 'unauthenticated')
          countWrong(address);
        throw error;
      } finally {
        inside--;
      }
    },
  };
};
