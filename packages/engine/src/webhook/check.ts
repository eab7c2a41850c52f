/** What a webhook may be: its target, the events it asks for, a secret that is there. */
import type { Refusal } from '@hostwright/core';
import type { Tx } from '../db/open.ts';
import { checkName } from '../db/unique-name.ts';
import { EVENT_KINDS } from '../event/kinds.ts';
import { readAllowInner } from './allow-inner.ts';
import { checkWebhookUrl } from './target.ts';

export interface WebhookFields {
  readonly name: string;
  readonly url: string;
  readonly kinds?: readonly string[] | undefined;
  readonly secret: string;
  readonly active?: boolean | undefined;
}

const SUBJECTS = new Set(EVENT_KINDS.map((kind) => `${kind.split('.')[0]}.*`));
const KINDS = new Set<string>(EVENT_KINDS);

export const checkWebhook = async (tx: Tx, fields: WebhookFields): Promise<Refusal[]> => {
  const refuse = (path: string, message: string): Refusal => ({ code: 'bad_input', path, message });
  const secret = await tx
    .selectFrom('secret')
    .select('id')
    .where('name', '=', fields.secret)
    .executeTakeFirst();
  return [
    ...checkName(fields.name),
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
