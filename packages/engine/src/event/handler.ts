/**
 * Somebody who is told of events for certain: in order, at least once, tried again on failure. A
 * hook of a barclamp, a webhook, a jig. Each has a place of its own in the events and a queue of
 * its own, so none can hold up another.
 */
import type { Db, Tx } from '../db/open.ts';
import type { Cursor, EventRecord } from './read.ts';

export interface Delivery {
  /** The same each time this event is given to this handler: what makes a repeat harmless. */
  readonly id: string;
  readonly attempt: number;
  /** Aborted when the time limit is over. */
  readonly signal: AbortSignal;
}

export interface Handler {
  /** Names its queue and its place: letters, digits, dots, hyphens. */
  readonly name: string;
  readonly kinds: readonly string[];
  readonly timeLimitMs: number;
  readonly attemptLimit: number;
  /** Where a handler that was never seen before begins. */
  readonly start: (db: Db) => Promise<Cursor>;
  /**
   * Once per pump, before any event: reads what `wants` needs. `rest`: nothing to do now; `again`:
   * there is more to prepare before events have their turn.
   */
  readonly begin?: (signal: AbortSignal) => Promise<'go' | 'rest' | 'again'>;
  readonly wants: (event: EventRecord) => boolean;
  readonly deliver: (event: EventRecord, delivery: Delivery) => Promise<void>;
  readonly log: DeliveryLog;
}

/** Where attempts are written down. */
export interface DeliveryLog {
  /** What was tried before with this event. */
  earlier(db: Db, eventId: number): Promise<EarlierAttempts>;
  delivered(
    tx: Tx,
    delivered: { readonly event: EventRecord; readonly attempts: number },
  ): Promise<void>;
  failed(tx: Tx, failed: FailedDelivery): Promise<void>;
}

export interface EarlierAttempts {
  readonly attempts: number;
  /** Since the last of them. */
  readonly secondsAgo: number;
}

export const NO_ATTEMPTS: EarlierAttempts = { attempts: 0, secondsAgo: 0 };

export interface FailedDelivery {
  readonly event: EventRecord;
  readonly attempts: number;
  readonly error: string;
  /** Given up: the handler goes on with the next event. */
  readonly dead: boolean;
}

/** 1 s, 2 s, 4 s ... 5 min. */
export const backoffSeconds = (attempts: number): number => Math.min(300, 2 ** (attempts - 1));
