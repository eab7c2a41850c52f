/** Webhooks: create, change, delete, list, and what became of each delivery. */
import { HostwrightError, type Refusal } from '@hostwright/core';
import { findIdOrName } from '../db/id-or-name.ts';
import type { Db, Tx } from '../db/open.ts';
import { sqlState, transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import { EVENT_KINDS } from '../event/kinds.ts';
import { readHead } from '../event/read.ts';
import { readAllowInner } from './allow-inner.ts';
import { checkWebhookUrl } from './target.ts';

export interface WebhookRecord {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly kinds: readonly string[];
  /** The name of the secret that signs. */
  readonly secret: string;
  readonly active: boolean;
  readonly disabledReason: string | null;
  readonly revision: number;
  readonly createdAt: Date;
}

export interface WebhookFields {
  readonly name: string;
  readonly url: string;
  readonly kinds?: readonly string[] | undefined;
  readonly secret: string;
  readonly active?: boolean | undefined;
}

export type SavedWebhook =
  | { readonly ok: true; readonly webhook: WebhookRecord }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

const select = (db: Db | Tx) =>
  db
    .selectFrom('webhook')
    .select([
      'id',
      'name',
      'url',
      'kinds',
      'secret',
      'active',
      'disabled_reason as disabledReason',
      'revision',
      'created_at as createdAt',
    ]);

export const listWebhooks = async (db: Db | Tx): Promise<WebhookRecord[]> =>
  select(db).orderBy('name').execute();

export const findWebhook = async (
  db: Db | Tx,
  nameOrId: string | number,
): Promise<WebhookRecord | undefined> => {
  const ref = findIdOrName(nameOrId);
  return ref.id === undefined
    ? select(db).where('name', '=', ref.name).executeTakeFirst()
    : select(db).where('id', '=', ref.id).executeTakeFirst();
};

const SUBJECTS = new Set(EVENT_KINDS.map((kind) => `${kind.split('.')[0]}.*`));
const KINDS = new Set<string>(EVENT_KINDS);

const check = async (tx: Tx, fields: WebhookFields): Promise<Refusal[]> => {
  const refuse = (path: string, message: string): Refusal => ({ code: 'bad_input', path, message });
  const secret = await tx
    .selectFrom('secret')
    .select('id')
    .where('name', '=', fields.secret)
    .executeTakeFirst();
  return [
    ...(/^[a-z][a-z0-9._-]{0,127}$/.test(fields.name)
      ? []
      : [
          refuse(
            'name',
            'a name begins with a lower-case letter and has letters, digits and . _ -',
          ),
        ]),
    ...checkWebhookUrl(fields.url, { allowInner: await readAllowInner(tx) }),
    ...(fields.kinds ?? [])
      .filter((kind) => !KINDS.has(kind) && !SUBJECTS.has(kind))
      .map((kind) => refuse('kinds', `there is no kind of event ${kind.slice(0, 64)}`)),
    ...(secret === undefined
      ? [
          {
            code: 'not_found',
            path: 'secret',
            message: `there is no secret ${fields.secret.slice(0, 255)}`,
          },
        ]
      : []),
  ];
};

const taken = (name: string): SavedWebhook => ({
  ok: false,
  refusals: [{ code: 'name_taken', path: 'name', message: `there is already a webhook ${name}` }],
});

/** Told of everything from now on. */
export const createWebhook = async (
  db: Db,
  options: WebhookFields & { readonly actor: string },
): Promise<SavedWebhook> => {
  try {
    return await transaction(db, async (tx) => {
      const refusals = await check(tx, options);
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
      return saved(tx, { id, change: 'created', actor: options.actor });
    });
  } catch (error) {
    if (sqlState(error) === '23505') return taken(options.name);
    throw error;
  }
};

const saved = async (
  tx: Tx,
  options: { readonly id: number; readonly change: string; readonly actor: string },
): Promise<SavedWebhook> => {
  const webhook = await select(tx).where('id', '=', options.id).executeTakeFirstOrThrow();
  await emit(tx, {
    kind: 'webhook.changed',
    payload: { name: webhook.name, change: options.change, actor: options.actor },
  });
  return { ok: true, webhook };
};

export const updateWebhook = async (
  db: Db,
  options: {
    readonly webhook: string | number;
    readonly revision?: number | undefined;
    readonly changes: Partial<WebhookFields>;
    readonly actor: string;
  },
): Promise<SavedWebhook> => {
  try {
    return await transaction(db, async (tx) => {
      const now = await lockCurrent(tx, options);
      const next = { ...now, ...definedIn(options.changes) };
      const refusals = await check(tx, next);
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
      return saved(tx, { id: now.id, change: 'changed', actor: options.actor });
    });
  } catch (error) {
    if (sqlState(error) === '23505') return taken(options.changes.name ?? '');
    throw error;
  }
};

const definedIn = (changes: Partial<WebhookFields>) => ({
  ...(changes.name === undefined ? {} : { name: changes.name }),
  ...(changes.url === undefined ? {} : { url: changes.url }),
  ...(changes.kinds === undefined ? {} : { kinds: changes.kinds }),
  ...(changes.secret === undefined ? {} : { secret: changes.secret }),
  ...(changes.active === undefined ? {} : { active: changes.active }),
});

const need = async (tx: Tx, nameOrId: string | number): Promise<WebhookRecord> => {
  const webhook = await findWebhook(tx, nameOrId);
  if (webhook === undefined)
    throw new HostwrightError('not_found', { message: 'there is no such webhook' });
  return webhook;
};

/** Locked first, then compared: two who have read the same revision must not both win. */
const lockCurrent = async (
  tx: Tx,
  options: { readonly webhook: string | number; readonly revision?: number | undefined },
): Promise<WebhookRecord> => {
  const { id } = await need(tx, options.webhook);
  await tx.selectFrom('webhook').select('id').where('id', '=', id).forUpdate().execute();
  const webhook = await need(tx, id);
  if (options.revision !== undefined && options.revision !== webhook.revision)
    throw new HostwrightError('precondition_failed', { public: { revision: webhook.revision } });
  return webhook;
};

export const deleteWebhook = async (
  db: Db,
  options: {
    readonly webhook: string | number;
    readonly revision?: number | undefined;
    readonly actor: string;
  },
): Promise<void> =>
  transaction(db, async (tx) => {
    const webhook = await lockCurrent(tx, options);
    await tx.deleteFrom('webhook').where('id', '=', webhook.id).execute();
    await tx.deleteFrom('event_reader').where('name', '=', `webhook.${webhook.id}`).execute();
    await emit(tx, {
      kind: 'webhook.changed',
      payload: { name: webhook.name, change: 'deleted', actor: options.actor },
    });
  });

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
