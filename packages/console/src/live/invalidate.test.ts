import { readFileSync } from 'node:fs';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import type { Event } from '@hostwright/api/nouns/event';
import { expect, test, vi } from 'vitest';
import type { Feed } from './feed.ts';
import { createInvalidator, TOUCHES } from './invalidate.ts';

test('every documented kind of event makes some read stale', () => {
  const page = readFileSync(
    new URL('../../../../docs/reference/events.md', import.meta.url),
    'utf8',
  );
  const kinds = [...page.matchAll(/^\| `([a-z]+\.[a-z]+)`/gm)].map((match) => match[1] ?? '');
  expect(kinds.length).toBeGreaterThan(20);
  const deaf = kinds.filter(
    (kind) => !kind.startsWith('hook.') && !TOUCHES.some(([prefix]) => kind.startsWith(prefix)),
  );
  expect(deaf).toEqual([]);
});

/** Events by hand, against a read that takes its time. */
const watch = (key: string, readMs: number) => {
  const queries = new QueryClient();
  let hear: (events: readonly Event[]) => void = () => {};
  createInvalidator(queries, {
    rate: () => 0,
    onEvents: (listener) => {
      hear = listener;
      return () => {};
    },
    onGap: () => () => {},
  } as Pick<Feed, 'rate' | 'onEvents' | 'onGap'> as Feed);
  const seen = { reads: 0 };
  const stop = new QueryObserver(queries, {
    queryKey: [key, 'n1'],
    queryFn: async () => {
      seen.reads += 1;
      await new Promise((done) => setTimeout(done, readMs));
      return seen.reads;
    },
  }).subscribe(() => {});
  return {
    seen,
    say: (kind: string) => hear([{ kind } as Event]),
    end: () => {
      stop();
      queries.clear();
      vi.useRealTimers();
    },
  };
};

test('an event that comes while a read is under way makes it be read again', async () => {
  vi.useFakeTimers();
  const { seen, say, end } = watch('node_get', 200);
  say('node.changed');
  await vi.advanceTimersByTimeAsync(2000);
  expect(seen.reads).toBe(2);
  end();
});

test('a boot is read at its event and once more, for what the event did not wait for', async () => {
  vi.useFakeTimers();
  const { seen, say, end } = watch('boot_get', 10);
  await vi.advanceTimersByTimeAsync(500);
  say('boot.seen');
  await vi.advanceTimersByTimeAsync(500);
  expect(seen.reads).toBe(2);
  await vi.advanceTimersByTimeAsync(5000);
  expect(seen.reads).toBe(3);
  end();
});
