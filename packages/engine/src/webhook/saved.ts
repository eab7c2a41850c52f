import type { Refusal } from '@hostwright/core';
import type { Tx } from '../db/open.ts';
import { emit } from '../event/emit.ts';
import { needWebhook, type WebhookRecord } from './find.ts';

export type SavedWebhook =
  | { readonly ok: true; readonly webhook: WebhookRecord }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

/** The webhook as it is now, and everybody told. */
export const tellSaved = async (
  tx: Tx,
  options: { readonly id: number; readonly change: string; readonly actor: string },
): Promise<SavedWebhook> => {
  const webhook = await needWebhook(tx, options.id);
  await emit(tx, {
    kind: 'webhook.changed',
    payload: { name: webhook.name, change: options.change, actor: options.actor },
  });
  return { ok: true, webhook };
};
