import { secret_delete, secret_list, secret_put } from '@hostwright/api/nouns/secret';
import {
  webhook_create,
  webhook_delete,
  webhook_delivery_list,
  webhook_get,
  webhook_list,
  webhook_patch,
} from '@hostwright/api/nouns/webhook';
import { randomBytes } from 'node:crypto';
import { HostwrightError } from '@hostwright/core';
import {
  createWebhook,
  decodeCursor,
  deleteSecret,
  deleteWebhook,
  encodeCursor,
  findWebhook,
  listSecrets,
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

const secrets = [
  route(secret_list, async ({ context }) => ({ items: await listSecrets(context.db) })),
  route(secret_put, async ({ params, body, caller, context }) => {
    const { db, master } = context;
    await putSecret(db, { name: params.secret, value: body.value, master, actor: caller.name });
    const stored = (await listSecrets(db)).find((secret) => secret.name === params.secret);
    if (stored === undefined) throw new HostwrightError('not_found');
    return stored;
  }),
  route(secret_delete, async ({ params, caller, context }) => {
    const done = await deleteSecret(context.db, { name: params.secret, actor: caller.name });
    if (!done.ok) throw refuse(done.refusals, 'in_use');
    return undefined;
  }),
];

const webhooks = [
  route(webhook_list, async ({ context }) => ({ items: await listWebhooks(context.db) })),
  route(webhook_create, async (call) => {
    const { db, master } = call.context;
    const { secret, ...fields } = call.body;
    const actor = call.caller.name;
    const signingKey = secret === undefined ? randomBytes(32).toString('base64url') : null;
    const secretName = secret ?? `webhook/${fields.name}`;
    if (signingKey !== null)
      await putSecret(db, { name: secretName, value: signingKey, master, actor });
    const made = await createWebhook(db, { ...fields, secret: secretName, actor });
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

export const secretRoutes = () => [...secrets, ...webhooks];
