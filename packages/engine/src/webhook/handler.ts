/**
 * A webhook as a handler of events. One event is one POST, in order; what fails is tried again
 * with growing delays and set aside after the last attempt. A receiver that lets several in a row
 * go dead is switched off, because nobody is there.
 */
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { emit } from '../event/emit.ts';
import { EVENT_KINDS } from '../event/kinds.ts';
import { NO_ATTEMPTS, type DeliveryLog, type Handler } from '../event/handler.ts';
import { readHead } from '../event/read.ts';
import { matches } from '../event/filter.ts';
import type { MasterKey } from '../secret/seal.ts';
import { reveal } from '../secret/secret.ts';
import { readSecret } from '../secret/store.ts';
import { readAllowInner } from './allow-inner.ts';
import { send } from './send.ts';
import { SIGNATURE_HEADER, signWebhook } from './sign.ts';

export interface WebhookHandlerOptions {
  readonly db: Db;
  readonly webhook: {
    readonly id: number;
    readonly name: string;
    readonly url: string;
    readonly kinds: readonly string[];
    readonly secret: string;
  };
  readonly master: MasterKey;
  readonly attemptLimit?: number;
}

const TIME_LIMIT_MS = 10_000;
const MAX_BODY = 256 * 1024;
const GIVE_UP_AFTER = 10; // dead letters in a row

export const createWebhookHandler = (options: WebhookHandlerOptions): Handler => {
  const { db, webhook } = options;
  const kinds = webhook.kinds.length === 0 ? undefined : webhook.kinds;
  /** What the receiver answered to the attempt under way: one at a time, in order. */
  const answer: Answer = { status: null };
  return {
    name: `webhook.${webhook.id}`,
    kinds: kinds ?? ALL,
    timeLimitMs: TIME_LIMIT_MS,
    attemptLimit: options.attemptLimit ?? 10,
    start: (from) => readHead(from),
    wants: (event) => kinds === undefined || matches({ kinds }, event),
    log: webhookLog(webhook, answer),
    deliver: async (event, delivery) => {
      answer.status = null;
      const secret = await readSecret(db, { name: webhook.secret, master: options.master });
      const body = JSON.stringify({
        delivery: delivery.id,
        attempt: delivery.attempt,
        webhook: webhook.name,
        event,
      });
      if (Buffer.byteLength(body) > MAX_BODY)
        throw new Error(`the event is larger than ${MAX_BODY / 1024} KB`);
      const seconds = Math.floor(Date.now() / 1000);
      const { status } = await send({
        url: webhook.url,
        body,
        headers: {
          [SIGNATURE_HEADER]: signWebhook({ secret: reveal(secret), body, seconds }),
          'Hostwright-Delivery': delivery.id,
          'Hostwright-Event': event.kind,
        },
        allowInner: await readAllowInner(db),
        signal: delivery.signal,
      });
      answer.status = status;
      if (status < 200 || status > 299) throw new Error(`answered ${status}`);
    },
  };
};

/** Every subject there is. */
const ALL = [...new Set(EVENT_KINDS.map((kind) => `${kind.split('.')[0]}.*`))];

interface Answer {
  status: number | null;
}

const secondsAgo = sql<number>`coalesce(extract(epoch from now() - last_at), 0)::float8`.as(
  'secondsAgo',
);

const webhookLog = (
  webhook: { readonly id: number; readonly name: string },
  answer: Answer,
): DeliveryLog => ({
  earlier: async (db, eventId) => {
    const row = await db
      .selectFrom('webhook_delivery')
      .select(['attempts', secondsAgo])
      .where('webhook_id', '=', webhook.id)
      .where('event_id', '=', eventId)
      .where('delivered_at', 'is', null)
      .where('dead_at', 'is', null)
      .executeTakeFirst();
    return row ?? NO_ATTEMPTS;
  },
  delivered: async (tx, { event, attempts }) => {
    const done = {
      attempts,
      status: answer.status,
      error: null,
      delivered_at: sql<Date>`now()`,
      last_at: sql<Date>`now()`,
      position: event.position,
    };
    await tx
      .insertInto('webhook_delivery')
      .values({ webhook_id: webhook.id, event_id: event.id, ...done })
      .onConflict((conflict) => conflict.columns(['webhook_id', 'event_id']).doUpdateSet(done))
      .execute();
    await tx
      .updateTable('webhook')
      .set({ failing: 0 })
      .where('id', '=', webhook.id)
      .where('failing', '>', 0)
      .execute();
  },
  failed: async (tx, { event, attempts, error, dead }) => {
    const last = {
      attempts,
      status: answer.status,
      error,
      last_at: sql<Date>`now()`,
      dead_at: dead ? sql<Date>`now()` : null,
      position: event.position,
    };
    await tx
      .insertInto('webhook_delivery')
      .values({ webhook_id: webhook.id, event_id: event.id, ...last })
      .onConflict((conflict) => conflict.columns(['webhook_id', 'event_id']).doUpdateSet(last))
      .execute();
    if (!dead) return;
    const row = await tx
      .updateTable('webhook')
      .set((set) => ({ failing: set('failing', '+', 1) }))
      .where('id', '=', webhook.id)
      .returning(['failing', 'active'])
      .executeTakeFirst();
    if (row === undefined || !row.active || row.failing < GIVE_UP_AFTER) return;
    const reason = `${row.failing} deliveries in a row failed; the last: ${error}`;
    await tx
      .updateTable('webhook')
      .set((set) => ({ active: false, disabled_reason: reason, revision: set('revision', '+', 1) }))
      .where('id', '=', webhook.id)
      .execute();
    await emit(tx, { kind: 'webhook.disabled', payload: { name: webhook.name, reason } });
  },
});
