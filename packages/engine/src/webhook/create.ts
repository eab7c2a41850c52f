import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { refuseTaken } from '../db/unique-name.ts';
import { readHead } from '../event/read.ts';
import { checkWebhook, type WebhookFields } from './check.ts';
import { tellSaved, type SavedWebhook } from './saved.ts';

/** Told of everything from now on. */
export const createWebhook = async (
  db: Db,
  options: WebhookFields & { readonly actor: string },
): Promise<SavedWebhook> => {
  return refuseTaken({ kind: 'webhook', name: options.name }, () =>
    transaction(db, async (tx) => {
      const refusals = await checkWebhook(tx, options);
      if (refusals.length > 0) return { ok: false, refusals };
      const { id } = await tx
        .insertInto('webhook')
        .values({
          name: options.name,
          url: options.url,
          kinds: [...(options.kinds ?? [])],
          secret: options.secret,
          active: options.active ?? true,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const head = await readHead(tx);
      await tx
        .insertInto('event_reader')
        .values({ name: `webhook.${id}`, position: head.position, event_id: head.id })
        .execute();
      return tellSaved(tx, { id, change: 'created', actor: options.actor });
    }),
  );
};
