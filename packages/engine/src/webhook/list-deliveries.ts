/** What became of each delivery. */
import type { Db } from '../db/open.ts';

export interface WebhookDeliveryRecord {
  readonly id: number;
  readonly eventId: number;
  readonly attempts: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly deliveredAt: Date | null;
  readonly deadAt: Date | null;
  readonly lastAt: Date | null;
}

/** Newest first. */
export const listWebhookDeliveries = async (
  db: Db,
  options: { readonly webhookId: number; readonly before?: number; readonly limit?: number },
): Promise<WebhookDeliveryRecord[]> =>
  db
    .selectFrom('webhook_delivery')
    .select([
      'id',
      'event_id as eventId',
      'attempts',
      'status',
      'error',
      'delivered_at as deliveredAt',
      'dead_at as deadAt',
      'last_at as lastAt',
    ])
    .where('webhook_id', '=', options.webhookId)
    .where('id', '<', options.before ?? Number.MAX_SAFE_INTEGER)
    .orderBy('id', 'desc')
    .limit(options.limit ?? 100)
    .execute();
