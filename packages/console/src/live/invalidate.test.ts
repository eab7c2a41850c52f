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

test('an event that comes while a read is under way makes it be read again', async () => {
  vi.useFakeTimers();
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
  let reads = 0;
  const stop = new QueryObserver(queries, {
    queryKey: ['node_get', 'n1'],
    queryFn: async () => {
      reads += 1;
      await new Promise((done) => setTimeout(done, 200));
      return reads;
    },
  }).subscribe(() => {});
  hear([{ kind: 'node.changed' } as Event]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(reads).toBe(2);
  stop();
  queries.clear();
  vi.useRealTimers();
});
