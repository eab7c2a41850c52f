import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until `look` returns something truthy, and returns it. Looks at state, never at time: the
 * limit only ends a test that would otherwise hang, and says what was last seen.
 */
export const eventually = async <Value>(
  look: () => Promise<Value> | Value,
  options: { readonly limitSeconds?: number; readonly what?: string } = {},
): Promise<NonNullable<Exclude<Value, false>>> => {
  const limit = (options.limitSeconds ?? 30) * 1000;
  const started = performance.now();
  let seen: unknown;
  for (;;) {
    try {
      const value = await look();
      if (value) return value as NonNullable<Exclude<Value, false>>;
      seen = value;
    } catch (error) {
      seen = error;
    }
    if (performance.now() - started > limit) {
      throw new Error(
        `${options.what ?? 'the awaited state'} did not come within ${limit / 1000} s; last seen: ${String(seen)}`,
        {
          cause: seen,
        },
      );
    }
    await sleep(10);
  }
};
