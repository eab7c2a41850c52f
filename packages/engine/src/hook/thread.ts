/**
 * The inside of a thread: loads one barclamp's hooks.ts and calls what it is told to, one call at a
 * time. It has no database: what a hook may do is asked of the process outside. Imports nothing of
 * ours that runs, so that it starts in milliseconds.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { FromThread, ToThread } from './thread-words.ts';

type Hook = (context: unknown, subject: unknown) => unknown;

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
const say = (word: FromThread): void => parentPort?.postMessage(word);
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const asked = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
let asks = 0;
let ending = new AbortController();
let hooks: Readonly<Record<string, unknown>> = {};

const ask = (id: number, service: string, argument: unknown): Promise<unknown> => {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  asked.set(++asks, { resolve, reject });
  say({ kind: 'ask', ask: asks, id, service, argument });
  return promise;
};

const call = async ({
  id,
  hook,
  subject,
  facts,
  services,
}: Extract<ToThread, { kind: 'call' }>) => {
  ending = new AbortController();
  const context = {
    ...facts,
    signal: ending.signal,
    ...Object.fromEntries(
      services.map((service) => [service, (argument: unknown) => ask(id, service, argument)]),
    ),
  };
  try {
    // checked when it was loaded: every hook there is is a function
    const value = await (hooks[hook] as Hook | undefined)?.(context, subject);
    say({ kind: 'done', id, value });
  } catch (error) {
    say({ kind: 'failed', id, error: textOf(error) });
  }
};

const answered = ({ ask: id, value, error }: Extract<ToThread, { kind: 'answer' }>): void => {
  const waiting = asked.get(id);
  asked.delete(id);
  if (error === undefined) waiting?.resolve(value);
  else waiting?.reject(new Error(error));
};

parentPort?.on('message', (word: ToThread) => {
  if (word.kind === 'call') void call(word);
  else if (word.kind === 'answer') answered(word);
  else ending.abort();
});

try {
  const loaded: unknown = await import(String(workerData));
  const found =
    typeof loaded === 'object' && loaded !== null && 'hooks' in loaded ? loaded.hooks : undefined;
  const isObject = typeof found === 'object' && found !== null;
  if (isObject) hooks = { ...found };
  say({
    kind: 'loaded',
    hooks: isObject ? Object.entries(found).map(([name, hook]) => [name, typeof hook]) : undefined,
  });
} catch (error) {
  say({ kind: 'broken', error: textOf(error) });
}
