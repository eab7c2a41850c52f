/**
 * A thread for one barclamp's hooks. Content written by others must not be able to stop a worker or
 * a server: a hook that hangs - waiting or in a loop that never yields - is ended with its thread at
 * its deadline, and the next call gets a new one. Calls come one at a time, in order. Measured on two
 * busy cores: 100 ms to start one, 0.2 ms for a call that asks back twice. An idle one goes after
 * half a minute.
 */
import { Worker } from 'node:worker_threads';
import type { FromThread, ToThread } from './thread-words.ts';

export interface HookCall {
  readonly hook: string;
  readonly subject: unknown;
  readonly facts?: Readonly<Record<string, unknown>>;
  /** What the hook may do here; each takes one argument. */
  readonly services: Readonly<Record<string, (argument: never) => unknown>>;
  readonly limitMs: number;
  /** Already over before the call's turn came: it is not made. */
  readonly signal?: AbortSignal;
}

export type HookAnswer =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: string }
  /** Ended at its deadline. */
  | { readonly kind: 'late' };

export interface HookThread {
  /** Name and type of everything in `hooks`; undefined if there is no such object. */
  readonly loaded: () => Promise<readonly (readonly [string, string])[] | undefined>;
  readonly call: (wanted: HookCall) => Promise<HookAnswer>;
  readonly close: () => Promise<void>;
}

interface Live {
  readonly worker: Worker;
  readonly hooks: readonly (readonly [string, string])[] | undefined;
}

const LOAD_LIMIT_MS = 10_000;
const GRACE_MS = 100; // for a hook that heeds its signal
const IDLE_MS = 30_000;
const MEGABYTES = 256;

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
const tell = (worker: Worker, word: ToThread): void => worker.postMessage(word);

const start = async (url: string): Promise<Live> => {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: url,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEGABYTES },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Live>();
  const timer = setTimeout(
    () => reject(new Error(`did not load within ${LOAD_LIMIT_MS / 1000} s`)),
    LOAD_LIMIT_MS,
  );
  const onMessage = (word: FromThread) => {
    if (word.kind === 'loaded') resolve({ worker, hooks: word.hooks });
    else reject(new Error(word.kind === 'broken' ? word.error : 'answered before it was loaded'));
  };
  const onExit = () => reject(new Error('ended while it was loaded'));
  // an error between two calls (a timer of the hook's) ends the thread, not the process
  worker.on('error', reject).on('exit', onExit).on('message', onMessage);
  try {
    return await promise;
  } catch (error) {
    await worker.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
    worker.off('exit', onExit).off('message', onMessage).unref();
  }
};

/** What the hook asks for is done here; an answer that cannot be sent is an error of the hook's. */
const serve = async (
  worker: Worker,
  word: Extract<FromThread, { kind: 'ask' }>,
  services: HookCall['services'],
): Promise<void> => {
  try {
    // the hook's types say what each takes; what it really gave is checked where it is used
    const value: unknown = await services[word.service]?.(word.argument as never);
    tell(worker, { kind: 'answer', ask: word.ask, value });
  } catch (error) {
    tell(worker, { kind: 'answer', ask: word.ask, error: textOf(error) });
  }
};

const callIn = async (worker: Worker, id: number, wanted: HookCall): Promise<HookAnswer> => {
  const { promise, resolve } = Promise.withResolvers<HookAnswer>();
  const onMessage = (word: FromThread) => {
    if (!('id' in word) || word.id !== id) return;
    if (word.kind === 'ask') void serve(worker, word, wanted.services);
    else if (word.kind === 'done') resolve({ kind: 'done', value: word.value });
    else resolve({ kind: 'failed', error: word.error });
  };
  const onError = (error: Error) => resolve({ kind: 'failed', error: error.message });
  const onExit = () => resolve({ kind: 'failed', error: 'ended its own thread' });
  worker.on('message', onMessage).on('error', onError).on('exit', onExit).ref();
  let killing: NodeJS.Timeout | undefined;
  const timer = setTimeout(() => {
    resolve({ kind: 'late' });
    tell(worker, { kind: 'abort' });
    killing = setTimeout(() => void worker.terminate(), GRACE_MS);
  }, wanted.limitMs);
  try {
    const { hook, subject, facts = {}, services } = wanted;
    tell(worker, { kind: 'call', id, hook, subject, facts, services: Object.keys(services) });
    const answer = await promise;
    if (killing !== undefined) await new Promise<void>((gone) => worker.once('exit', () => gone()));
    return answer;
  } finally {
    clearTimeout(timer);
    worker.off('message', onMessage).off('error', onError).off('exit', onExit).unref();
  }
};

export const createHookThread = (url: string): HookThread => {
  let live: Promise<Live> | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let calls = 0;
  let idle: NodeJS.Timeout | undefined;

  const open = (): Promise<Live> => {
    if (live !== undefined) return live;
    const starting = start(url);
    live = starting;
    starting.then(
      ({ worker }) => worker.once('exit', () => live === starting && (live = undefined)),
      () => (live = undefined),
    );
    return starting;
  };
  const close = async () => {
    clearTimeout(idle);
    const closing = live;
    live = undefined;
    await closing?.then(({ worker }) => worker.terminate()).catch(() => {});
  };
  const carryOut = async (wanted: HookCall): Promise<HookAnswer> => {
    clearTimeout(idle);
    try {
      const { worker } = await open();
      if (wanted.signal?.aborted === true) return { kind: 'late' };
      return await callIn(worker, ++calls, wanted);
    } catch (error) {
      return { kind: 'failed', error: textOf(error) };
    } finally {
      idle = setTimeout(() => void close(), IDLE_MS).unref();
    }
  };
  return {
    loaded: async () => {
      const { hooks } = await open();
      idle ??= setTimeout(() => void close(), IDLE_MS).unref();
      return hooks;
    },
    call: (wanted) => {
      const next = turn.then(() => carryOut(wanted));
      turn = next;
      return next;
    },
    close,
  };
};
