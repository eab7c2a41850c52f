/** Webhooks: who is told of which events, and by which secret that is signed. */
import { HostwrightError } from '@hostwright/core';
import { findIdOrName } from '../db/id-or-name.ts';
import type { Db, Tx } from '../db/open.ts';

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

export const needWebhook = async (tx: Tx, nameOrId: string | number): Promise<WebhookRecord> => {
  const webhook = await findWebhook(tx, nameOrId);
  if (webhook === undefined)
    throw new HostwrightError('not_found', {
      message: `there is no webhook ${String(nameOrId).slice(0, 255)}`,
    });
  return webhook;
};
