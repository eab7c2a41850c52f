/** Attempts to deliver to hooks and jigs. Success leaves nothing: the handler's place says it. */
import { sql } from 'kysely';
import { NO_ATTEMPTS, type DeliveryLog } from '../event/handler.ts';
import { emit } from '../event/emit.ts';

const secondsAgo = sql<number>`extract(epoch from now() - last_at)::float8`.as('secondsAgo');

export const hookDeliveryLog = (handler: string): DeliveryLog => ({
  earlier: async (db, eventId) => {
    const row = await db
      .selectFrom('hook_delivery')
      .select(['attempts', secondsAgo])
      .where('handler', '=', handler)
      .where('event_id', '=', eventId)
      .executeTakeFirst();
    return row ?? NO_ATTEMPTS;
  },
  delivered: async (tx, { event, attempts }) => {
    if (attempts > 1)
      await tx
        .deleteFrom('hook_delivery')
        .where('handler', '=', handler)
        .where('event_id', '=', event.id)
        .execute();
  },
  failed: async (tx, { event, attempts, error, dead }) => {
    const last = {
      attempts,
      error,
      last_at: sql<Date>`now()`,
      dead_at: dead ? sql<Date>`now()` : null,
    };
    await tx
      .insertInto('hook_delivery')
      .values({ handler, event_id: event.id, ...last })
      .onConflict((conflict) => conflict.columns(['handler', 'event_id']).doUpdateSet(last))
      .execute();
    if (dead)
      await emit(tx, {
        kind: 'hook.failed',
        nodeId: event.nodeId,
        payload: { handler, event: event.id, eventKind: event.kind, attempts, error },
      });
  },
});
