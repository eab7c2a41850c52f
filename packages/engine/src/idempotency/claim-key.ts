/**
 * A request with a key is carried out once; the same request again gets the first answer.
 * A claim whose process died before it answered may be taken over after a while.
 */
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';

export interface KeyOf {
  readonly actor: string;
  readonly key: string;
}

export type KeyClaim =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'answered'; readonly status: number; readonly answer: string }
  | { readonly kind: 'under_way' }
  | { readonly kind: 'other_request' };

const ABANDONED_SECONDS = 120;

export const claimKey = async (
  db: Db,
  wanted: KeyOf & { readonly requestHash: Buffer },
): Promise<KeyClaim> => {
  const claimed = await sql`
    insert into idempotency_key (actor, key, request_hash) values (${wanted.actor}, ${wanted.key}, ${wanted.requestHash})
    on conflict (actor, key) do update set created_at = now()
      where idempotency_key.status is null and idempotency_key.request_hash = excluded.request_hash
        and idempotency_key.created_at < now() - make_interval(secs => ${ABANDONED_SECONDS})
    returning 1`.execute(db);
  if (claimed.rows.length > 0) return { kind: 'claimed' };
  const found = await db
    .selectFrom('idempotency_key')
    .select(['request_hash', 'status', 'answer'])
    .where('actor', '=', wanted.actor)
    .where('key', '=', wanted.key)
    .executeTakeFirst();
  // released between the two statements: the first one failed inside
  if (found === undefined) return { kind: 'under_way' };
  if (!found.request_hash.equals(wanted.requestHash)) return { kind: 'other_request' };
  return found.status === null
    ? { kind: 'under_way' }
    : { kind: 'answered', status: found.status, answer: found.answer ?? '' };
};

export const answerKey = async (
  db: Db,
  answered: KeyOf & { readonly status: number; readonly answer: string },
): Promise<void> => {
  await db
    .updateTable('idempotency_key')
    .set({ status: answered.status, answer: answered.answer })
    .where('actor', '=', answered.actor)
    .where('key', '=', answered.key)
    .execute();
};

/** The request failed inside and changed nothing: it may be tried again. */
export const releaseKey = async (db: Db, wanted: KeyOf): Promise<void> => {
  await db
    .deleteFrom('idempotency_key')
    .where('actor', '=', wanted.actor)
    .where('key', '=', wanted.key)
    .where('status', 'is', null)
    .execute();
};
