/**
 * Gives one handler the events after its place, one by one, and moves the place behind each. A
 * failure ends the pump with the place before the failed event: it is tried again later, and those
 * after it wait, because order is part of the promise. After its last attempt an event is set
 * aside and the next one's turn comes.
 */
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { backoffSeconds, NO_ATTEMPTS, type Handler } from './handler.ts';
import type { Log } from './log.ts';
import { movePlace, readPlace } from './place.ts';
import { readEvents, type Cursor, type EventRecord } from './read.ts';

export interface PumpOptions {
  readonly db: Db;
  readonly handler: Handler;
  readonly log: Log;
  /** The process that pumped before died at it: that was an attempt too. */
  readonly died: boolean;
  readonly signal: AbortSignal;
}

export type Pumped =
  | { readonly kind: 'caught-up' }
  | { readonly kind: 'more' }
  /** Somebody else has moved the place: this pump is not the current one. */
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'failed'; readonly retrySeconds: number };

const PAGE = 200;

export const pump = async (options: PumpOptions): Promise<Pumped> => {
  const { db, handler } = options;
  const begun = (await handler.begin?.(options.signal)) ?? 'go';
  if (begun !== 'go') return { kind: begun === 'again' ? 'more' : 'caught-up' };
  let place = await readPlace(db, handler);
  const page = await readEvents(db, {
    after: place,
    limit: PAGE,
    filter: { kinds: handler.kinds },
  });
  if (page.lost)
    options.log.warn(
      { handler: handler.name, position: place.position },
      'events this handler had not taken are gone',
    );
  const wanted = page.events.filter(handler.wants);
  // Only the first can have been tried before: a failure keeps the place in front of it.
  const earlier =
    wanted[0] === undefined ? NO_ATTEMPTS : await handler.log.earlier(db, wanted[0].id);
  let known = earlier.attempts + (options.died ? 1 : 0);
  // A job queued by a later event may come before the delay is over; it must not use up an attempt.
  const early = earlier.attempts === 0 ? 0 : backoffSeconds(earlier.attempts) - earlier.secondsAgo;
  if (early > 0.1 && !options.died) return { kind: 'failed', retrySeconds: Math.ceil(early) };
  for (const event of wanted) {
    if (options.signal.aborted) return { kind: 'more' };
    const next = { position: event.position, id: event.id };
    const tried = await attempt({ ...options, event, attempts: known + 1 });
    const moved = await settle({ ...options, event, tried, place, next });
    if (moved === 'overtaken') return { kind: 'overtaken' };
    if (moved === 'stay') return { kind: 'failed', retrySeconds: backoffSeconds(tried.attempts) };
    place = next;
    known = 0;
  }
  const moved = await transaction(db, (tx) =>
    movePlace(tx, { name: handler.name, from: place, to: page.cursor }),
  );
  if (!moved) return { kind: 'overtaken' };
  return { kind: page.more ? 'more' : 'caught-up' };
};

interface Tried {
  readonly attempts: number;
  readonly error: string | undefined;
}

const attempt = async (
  options: PumpOptions & { readonly event: EventRecord; readonly attempts: number },
): Promise<Tried> => {
  const { handler, event, attempts } = options;
  if (attempts > handler.attemptLimit)
    return { attempts, error: 'the process that delivered it died' };
  const limit = AbortSignal.timeout(handler.timeLimitMs);
  const late = Promise.withResolvers<never>();
  limit.addEventListener('abort', () =>
    late.reject(new Error(`took longer than ${handler.timeLimitMs / 1000} s`)),
  );
  late.promise.catch(() => {});
  try {
    const id = `${handler.name}/${event.id}`;
    await Promise.race([
      handler.deliver(event, { id, attempt: attempts, signal: limit }),
      late.promise,
    ]);
    return { attempts, error: undefined };
  } catch (error) {
    return { attempts, error: error instanceof Error ? error.message : String(error) };
  }
};

/** Writes down how it went and moves the place, together. */
const settle = async (
  options: PumpOptions & {
    readonly event: EventRecord;
    readonly tried: Tried;
    readonly place: Cursor;
    readonly next: Cursor;
  },
): Promise<'moved' | 'stay' | 'overtaken'> => {
  const { db, handler, event, tried } = options;
  const dead = tried.attempts >= handler.attemptLimit;
  return transaction(db, async (tx: Tx) => {
    const stay = tried.error !== undefined && !dead;
    const to = stay ? options.place : options.next;
    const moved = await movePlace(tx, { name: handler.name, from: options.place, to });
    if (!moved) return 'overtaken';
    if (tried.error === undefined)
      await handler.log.delivered(tx, { event, attempts: tried.attempts });
    else
      await handler.log.failed(tx, {
        event,
        attempts: tried.attempts,
        error: tried.error.slice(0, 2000),
        dead,
      });
    return stay ? 'stay' : 'moved';
  });
};
