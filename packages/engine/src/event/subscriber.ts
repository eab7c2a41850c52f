/** One reader of the feed: takes a page, then the next; keeps its own place. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db/open.ts';
import { matches } from './filter.ts';
import type { Log } from './log.ts';
import { readEvents, type Cursor, type EventFilter, type EventPage } from './read.ts';
import type { Recent } from './recent.ts';

export interface Subscription {
  /** The place behind the last page that was taken. */
  cursor(): Cursor;
  /** No further page is given; one being taken is not waited for. */
  close(): void;
}

export interface SubscriberOptions {
  readonly db: Db;
  readonly recent: Recent;
  readonly after: Cursor;
  readonly filter?: EventFilter;
  readonly onEvents: (page: EventPage) => void | Promise<void>;
  readonly onError?: (error: unknown) => void;
  readonly onClose: () => void;
  readonly log: Log;
}

const PAGE = 500;
const RETRY_MS = 500;

export interface Subscriber extends Subscription {
  readonly kinds: readonly string[] | undefined;
  wake(): void;
}

export const createSubscriber = (options: SubscriberOptions): Subscriber => {
  const filter = options.filter ?? {};
  let cursor = options.after;
  const life = { closed: false };
  let woken = false;
  let running: Promise<void> | undefined;

  const next = async (): Promise<EventPage> => {
    const near = options.recent.after(cursor, PAGE);
    if (near !== undefined)
      return {
        ...near,
        events: near.events.filter((event) => matches(filter, event)),
        lost: false,
      };
    return readEvents(options.db, { after: cursor, limit: PAGE, filter });
  };

  const pump = async () => {
    while (woken && !life.closed) {
      woken = false;
      let page: EventPage;
      try {
        page = await next();
      } catch (error) {
        options.log.warn({ err: error }, 'a reader of the events could not read');
        await sleep(RETRY_MS, undefined, { ref: false });
        woken = true;
        continue;
      }
      if (page.events.length > 0 || page.lost) await options.onEvents(page);
      cursor = page.cursor;
      if (page.more) woken = true;
    }
  };

  const wake = () => {
    woken = true;
    if (life.closed) return;
    running ??= pump()
      .catch((error: unknown) => {
        life.closed = true;
        options.onClose();
        options.onError?.(error);
      })
      .finally(() => {
        running = undefined;
        if (woken && !life.closed) wake();
      });
  };

  return {
    kinds: filter.kinds,
    wake,
    cursor: () => cursor,
    close: () => {
      life.closed = true;
      options.onClose();
    },
  };
};
