import { expect, test } from 'vitest';
import { gather } from '../src/agent/gather.ts';

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('calls of one moment are one batch; no batch holds one key twice; each gets its own answer', async () => {
  const batches: number[][] = [];
  const gathered = gather<{ key: number; value: number }, number>({
    batches: 1,
    most: 3,
    singles: 1,
    key: (asked) => asked.key,
    together: async (asked) => {
      batches.push(asked.map(({ key }) => key));
      await later();
      return asked.map(({ value }) => value * 10);
    },
    alone: () => Promise.reject(new Error('nobody was left')),
  });
  const keys = [1, 2, 2, 3, 4, 5];
  const answers = await Promise.all(keys.map((key, value) => gathered.ask({ key, value })));
  expect(answers).toEqual([0, 10, 20, 30, 40, 50]);
  expect(batches).toEqual([
    [1, 2, 3],
    [2, 4, 5],
  ]);
  expect(gathered.waiting()).toBe(0);
});

test('a batch that fails, or leaves one out, spoils it for nobody else', async () => {
  const gathered = gather<number, string>({
    batches: 2,
    most: 10,
    singles: 2,
    together: (asked) =>
      asked.includes(13)
        ? Promise.reject(new Error('bad batch'))
        : Promise.resolve(asked.map((value) => (value === 7 ? undefined : `together ${value}`))),
    alone: (value) =>
      value === 13 ? Promise.reject(new Error('13 is bad')) : Promise.resolve(`alone ${value}`),
  });
  const first = await Promise.allSettled([1, 13, 2].map((value) => gathered.ask(value)));
  expect(first.map((end) => (end.status === 'fulfilled' ? end.value : String(end.reason)))).toEqual(
    ['alone 1', 'Error: 13 is bad', 'alone 2'],
  );
  expect(await Promise.all([6, 7, 8].map((value) => gathered.ask(value)))).toEqual([
    'together 6',
    'alone 7',
    'together 8',
  ]);
});

test('one that waits long alone holds up no batch', async () => {
  const stuck = Promise.withResolvers<string>();
  const gathered = gather<string, string>({
    batches: 1,
    most: 1,
    singles: 1,
    together: (asked) =>
      Promise.resolve(asked.map((value) => (value === 'odd' ? undefined : value))),
    alone: () => stuck.promise,
  });
  const odd = gathered.ask('odd');
  expect(await gathered.ask('plain')).toBe('plain');
  stuck.resolve('done');
  expect(await odd).toBe('done');
});
