import { randomBytes } from 'node:crypto';
import {
  webhook_create,
  webhook_delete,
  webhook_delivery_list,
  webhook_get,
  webhook_list,
  webhook_patch,
} from '@hostwright/api/nouns/webhook';
import { HostwrightError } from '@hostwright/core';
import {
  createWebhook,
  decodeCursor,
  deleteSecret,
  deleteWebhook,
  encodeCursor,
  findWebhook,
  listWebhookDeliveries,
  listWebhooks,
  putSecret,
  updateWebhook,
  type Db,
  type WebhookRecord,
} from '@hostwright/engine';
import { defined } from '../http/defined.ts';
import { refuse } from '../http/refuse.ts';
import { route } from '../http/route.ts';

const needWebhook = async (db: Db, ref: string): Promise<WebhookRecord> => {
  const found = await findWebhook(db, ref);
  if (found === undefined)
    throw new HostwrightError('not_found', { message: `there is no webhook ${ref.slice(0, 255)}` });
  return found;
};

export const webhookRoutes = () => [
  route(webhook_list, async ({ context }) => ({ items: await listWebhooks(context.db) })),
  route(webhook_create, async (call) => {
    const { db, master } = call.context;
    const { secret, ...fields } = call.body;
    const actor = call.caller.name;
    const signingKey = secret === undefined ? randomBytes(32).toString('base64url') : null;
    // a name of its own: a webhook of this name that is there already must keep its key
    const secretName = secret ?? `webhook/${fields.name}-${randomBytes(4).toString('hex')}`;
    if (signingKey !== null)
      await putSecret(db, { name: secretName, value: signingKey, master, actor });
    const made = await createWebhook(db, { ...fields, secret: secretName, actor });
    if (!made.ok && signingKey !== null) await deleteSecret(db, { name: secretName, actor });
    if (!made.ok) throw refuse(made.refusals);
    return { ...made.webhook, signingKey };
  }),
  route(webhook_get, async (call) => {
    const webhook = await needWebhook(call.context.db, call.params.webhook);
    call.etag(webhook.revision);
    return webhook;
  }),
  route(webhook_patch, async (call) => {
    const done = await updateWebhook(call.context.db, {
      webhook: call.params.webhook,
      revision: call.ifMatch,
      changes: defined(call.body),
      actor: call.caller.name,
    });
    if (!done.ok) throw refuse(done.refusals);
    call.etag(done.webhook.revision);
    return done.webhook;
  }),
  route(webhook_delete, async ({ params, caller, context, ifMatch }) => {
    await deleteWebhook(context.db, {
      webhook: params.webhook,
      revision: ifMatch,
      actor: caller.name,
    });
    return undefined;
  }),
  route(webhook_delivery_list, async ({ params, query, context }) => {
    const webhook = await needWebhook(context.db, params.webhook);
    const limit = query.limit ?? 100;
    const before = decodeCursor('delivery', query.cursor)?.id;
    const rows = await listWebhookDeliveries(context.db, {
      webhookId: webhook.id,
      limit: limit + 1,
      ...(before === undefined ? {} : { before }),
    });
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return {
      items,
      next:
        rows.length > limit && last !== undefined
          ? encodeCursor('delivery', last.id, last.id)
          : null,
    };
  }),
];
