/**
 * One event stream for the whole console. Everything on screen that is live hangs on this: the
 * fleet's columns, the matrix, and the queries, which are read again when an event touches them.
 * After a break the stream resumes where it was; what may have been missed is read again.
 */
import type { Event } from '@hostwright/api/nouns/event';
import { event_stream } from '@hostwright/api/nouns/event';
import { ProblemError } from '@hostwright/api';
import { client } from '../session/client.ts';
import { createFrameQueue } from './frame-queue.ts';

export type LiveState = 'connecting' | 'live' | 'lost';

export interface Feed {
  readonly state: () => LiveState;
  /** Events of the last second and since the page was opened. */
  readonly rate: () => number;
  readonly onState: (listener: (state: LiveState) => void) => () => void;
  readonly onEvents: (listener: (events: readonly Event[]) => void) => () => void;
  /** The stream was interrupted: state read before may be out of date. */
  readonly onGap: (listener: () => void) => () => void;
  readonly start: (after?: string) => void;
  readonly stop: () => void;
}

const createListeners = <Value>() => {
  const all = new Set<(value: Value) => void>();
  return {
    add: (listener: (value: Value) => void) => {
      all.add(listener);
      return () => {
        all.delete(listener);
      };
    },
    tell: (value: Value) => {
      for (const listener of all) listener(value);
    },
  };
};

const createRate = () => {
  let second = 0;
  let now = 0;
  let before = 0;
  const roll = (): void => {
    const at = Math.floor(performance.now() / 1000);
    if (at === second) return;
    before = at === second + 1 ? now : 0;
    now = 0;
    second = at;
  };
  return {
    add: (count: number) => {
      roll();
      now += count;
    },
    read: () => {
      roll();
      return before;
    },
  };
};

const parse = (data: string): Event | undefined => {
  try {
    return JSON.parse(data) as Event; // the server checks its own answers in its tests
  } catch {
    return undefined;
  }
};

export const createFeed = (onSignedOut: () => void): Feed => {
  const states = createListeners<LiveState>();
  const events = createListeners<readonly Event[]>();
  const gaps = createListeners<void>();
  const rate = createRate();
  const queue = createFrameQueue<Event>((items) => events.tell(items));
  let state: LiveState = 'connecting';
  let stopper: AbortController | undefined;
  const become = (next: LiveState): void => {
    if (state === next) return;
    state = next;
    states.tell(next);
  };
  const follow = async (signal: AbortSignal, after: string | undefined): Promise<void> => {
    let broken = false;
    const stream = client.stream(
      event_stream,
      { query: after === undefined ? {} : { after } },
      {
        signal,
        onState: (seen) => {
          if (seen === 'broken') {
            broken = true;
            become('lost');
            return;
          }
          become('live');
          if (broken) gaps.tell();
          broken = false;
        },
      },
    );
    for await (const message of stream) {
      if (message.event === 'hello') continue;
      if (message.event === 'lost') {
        gaps.tell();
        continue;
      }
      const event = parse(message.data);
      if (event === undefined) continue;
      rate.add(1);
      queue.push(event);
    }
  };
  return {
    state: () => state,
    rate: rate.read,
    onState: states.add,
    onEvents: events.add,
    onGap: gaps.add,
    start: (after) => {
      if (stopper !== undefined) return;
      stopper = new AbortController();
      const { signal } = stopper;
      follow(signal, after).catch((error: unknown) => {
        stopper = undefined;
        become('lost');
        if (error instanceof ProblemError && error.status === 401) onSignedOut();
      });
    },
    stop: () => {
      stopper?.abort();
      stopper = undefined;
      queue.clear();
      become('connecting');
    },
  };
};
