import { lockRevision } from '../db/lock-revision.ts';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import { needWebhook } from './find.ts';

export const deleteWebhook = async (
  db: Db,
  options: {
    readonly webhook: string | number;
    readonly revision?: number | undefined;
    readonly actor: string;
  },
): Promise<void> =>
  transaction(db, async (tx) => {
    const webhook = await lockRevision(tx, {
      ...options,
      table: 'webhook',
      need: needWebhook,
      ref: options.webhook,
    });
    await tx.deleteFrom('webhook').where('id', '=', webhook.id).execute();
    await tx.deleteFrom('event_reader').where('name', '=', `webhook.${webhook.id}`).execute();
    await emit(tx, {
      kind: 'webhook.changed',
      payload: { name: webhook.name, change: 'deleted', actor: options.actor },
    });
  });
