import { lockRevision } from '../db/lock-revision.ts';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { refuseTaken } from '../db/unique-name.ts';
import { checkWebhook, type WebhookFields } from './check.ts';
import { needWebhook } from './find.ts';
import { tellSaved, type SavedWebhook } from './saved.ts';

export const updateWebhook = async (
  db: Db,
  options: {
    readonly webhook: string | number;
    readonly revision?: number | undefined;
    readonly changes: Partial<WebhookFields>;
    readonly actor: string;
  },
): Promise<SavedWebhook> => {
  return refuseTaken({ kind: 'webhook', name: options.changes.name }, () =>
    transaction(db, async (tx) => {
      const now = await lockRevision(tx, {
        ...options,
        table: 'webhook',
        need: needWebhook,
        ref: options.webhook,
      });
      const next = { ...now, ...definedIn(options.changes) };
      const refusals = await checkWebhook(tx, next);
      if (refusals.length > 0) return { ok: false, refusals };
      await tx
        .updateTable('webhook')
        .set((row) => ({
          name: next.name,
          url: next.url,
          kinds: [...next.kinds],
          secret: next.secret,
          active: next.active,
          ...(next.active ? { failing: 0, disabled_reason: null } : {}),
          revision: row('revision', '+', 1),
        }))
        .where('id', '=', now.id)
        .execute();
      return tellSaved(tx, { id: now.id, change: 'changed', actor: options.actor });
    }),
  );
};

const definedIn = (changes: Partial<WebhookFields>) => ({
  ...(changes.name === undefined ? {} : { name: changes.name }),
  ...(changes.url === undefined ? {} : { url: changes.url }),
  ...(changes.kinds === undefined ? {} : { kinds: changes.kinds }),
  ...(changes.secret === undefined ? {} : { secret: changes.secret }),
  ...(changes.active === undefined ? {} : { active: changes.active }),
});
