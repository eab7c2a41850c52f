/**
 * The events, in order, to any number of readers in this process. Notifications make it fast, a
 * tick makes it right; PostgreSQL may be restarted under it.
 *
 * Each reader is pumped on its own: it gets the next page when it has taken the last, so one that
 * is slow or never answers holds up nobody. Readers near the head share pages kept in memory; one
 * that fell behind reads from the database at its own pace. Nothing is ever dropped for a reader.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/open.ts';
import { listen } from './listen.ts';
import type { Log } from './log.ts';
import { createRecent } from './recent.ts';
import { readEvents, readHead, type Cursor, type EventFilter, type EventPage } from './read.ts';
import { sequenceEvents } from './sequence.ts';
import { createSubscriber, type Subscription } from './subscriber.ts';

export interface SubscribeOptions {
  /** Default: only what comes from now on. */
  readonly after?: Cursor;
  readonly filter?: EventFilter;
  /** Called with one page after the other, never twice at once. `lost` says that events are missing. */
  readonly onEvents: (page: EventPage) => void | Promise<void>;
  /** What `onEvents` threw, after which the subscription is over. */
  readonly onError?: (error: unknown) => void;
}

export interface EventFeed {
  subscribe(options: SubscribeOptions): Subscription;
  /** The newest place this feed knows. */
  head(): Cursor;
  stop(): Promise<void>;
}

export interface FeedOptions {
  readonly database: Database;
  readonly log: Log;
  readonly tickMs?: number;
}

const PAGE = 500;
/**
 * A pass costs a commit and a read however little there is; a worker in full swing commits a
 * thousand times a second. The first pass after a quiet time is not delayed.
 */
const BETWEEN_PASSES_MS = 20;

export const startEventFeed = async (options: FeedOptions): Promise<EventFeed> => {
  const { db } = options.database;
  const recent = createRecent();
  const subscribers = new Set<ReturnType<typeof createSubscriber>>();
  await sequenceEvents(db);
  let head = await readHead(db);
  recent.restart(head);
  let kinds: readonly string[] | undefined;
  let choice = 0;
  let passed = 0;
  let working: Promise<void> | undefined;
  let wanted = false;
  const life = { stopped: false };

  /** What any subscriber wants; everything if one wants everything. */
  const wantedKinds = (): readonly string[] | undefined => {
    const all = [...subscribers].map((subscriber) => subscriber.kinds);
    if (all.includes(undefined)) return undefined;
    return [...new Set(all.flatMap((kinds) => kinds ?? []))].toSorted();
  };

  /** What is in memory was chosen for the subscribers there were; others read older events for themselves. */
  const choose = () => {
    const wish = wantedKinds();
    if (wish?.join() === kinds?.join()) return;
    kinds = wish;
    choice++;
    recent.restart(head);
  };

  const readOn = async () => {
    if (subscribers.size === 0) {
      head = await readHead(db);
      recent.restart(head);
      return;
    }
    for (let more = true; more && !life.stopped;) {
      choose();
      const chosen = choice;
      const page = await readEvents(db, {
        after: head,
        limit: PAGE,
        filter: kinds === undefined ? {} : { kinds },
      });
      head = page.cursor;
      more = page.more;
      // Somebody who wants more came while this was read: it is not what they would have got.
      if (chosen === choice) recent.add(page);
      else recent.restart(head);
      for (const subscriber of subscribers) subscriber.wake();
    }
  };

  const work = async () => {
    while (wanted && !life.stopped) {
      const early = passed + BETWEEN_PASSES_MS - performance.now();
      if (early > 0) await sleep(early);
      passed = performance.now();
      wanted = false;
      try {
        await sequenceEvents(db, { wait: 'never' });
        await readOn();
      } catch (error) {
        // The next tick or the listener's reconnect tries again.
        options.log.warn({ err: error }, 'the event feed could not read');
      }
    }
  };

  const kick = () => {
    if (life.stopped) return;
    wanted = true;
    working ??= work().finally(() => {
      working = undefined;
      if (wanted) kick();
    });
  };

  const listener = listen({
    url: options.database.url,
    channels: ['hostwright_event', 'hostwright_sequenced'],
    onNotify: kick,
    onConnect: kick,
    log: options.log,
  });
  const tick = setInterval(kick, options.tickMs ?? 1000);

  const subscribe = (wish: SubscribeOptions): Subscription => {
    const subscriber = createSubscriber({
      ...wish,
      db,
      recent,
      after: wish.after ?? head,
      log: options.log,
      onClose: () => subscribers.delete(subscriber),
    });
    subscribers.add(subscriber);
    choose();
    subscriber.wake();
    kick();
    return subscriber;
  };

  return {
    subscribe,
    head: () => head,
    stop: async () => {
      life.stopped = true;
      clearInterval(tick);
      await listener.stop();
      await working;
      for (const subscriber of subscribers) subscriber.close();
    },
  };
};
