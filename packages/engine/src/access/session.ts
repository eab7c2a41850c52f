/** Sessions of the console. Only the hash of a session's id is kept. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { hashToken, makeToken } from '../node-token/node-token.ts';

export interface OpenedSession {
  readonly id: string;
  readonly csrf: string;
  readonly expiresAt: Date;
}

export const openSession = async (
  db: Db | Tx,
  options: { readonly userId: number; readonly hours: number },
): Promise<OpenedSession> => {
  const id = makeToken('hws');
  const csrf = randomBytes(24).toString('base64url');
  const { rows } = await sql<{ expires_at: Date }>`
    insert into session (id_hash, user_id, csrf, expires_at)
    values (${hashToken(id)}, ${options.userId}, ${csrf}, now() + make_interval(hours => ${options.hours}))
    returning expires_at`.execute(db);
  return { id, csrf, expiresAt: rows[0]?.expires_at ?? new Date() };
};

export const closeSession = async (db: Db | Tx, id: string): Promise<void> => {
  await db.deleteFrom('session').where('id_hash', '=', hashToken(id)).execute();
};

/** All of a user's sessions but, perhaps, the one that asks; and the links that would open more. */
export const closeSessionsOf = async (
  db: Db | Tx,
  options: { readonly userId: number; readonly except?: string | undefined },
): Promise<void> => {
  let query = db.deleteFrom('session').where('user_id', '=', options.userId);
  if (options.except !== undefined) query = query.where('id_hash', '!=', hashToken(options.except));
  await query.execute();
  await db
    .deleteFrom('token')
    .where('user_id', '=', options.userId)
    .where('kind', '=', 'signin')
    .execute();
};

/** A user who may sign in, with what is needed to check the password. */
export const findSignIn = async (
  db: Db | Tx,
  name: string,
): Promise<{ readonly id: number; readonly passwordHash: string | null } | undefined> =>
  db
    .selectFrom('app_user')
    .select(['id', 'password_hash as passwordHash'])
    .where('name', '=', name)
    .where('disabled', '=', false)
    .executeTakeFirst();

export const createSigninLink = async (
  db: Db | Tx,
  options: { readonly userId: number; readonly minutes?: number },
): Promise<{ readonly token: string; readonly expiresAt: Date }> => {
  const token = makeToken('hwl');
  const { rows } = await sql<{ expires_at: Date }>`
    insert into token (kind, name, hash, user_id, uses_left, expires_at)
    values ('signin', 'sign-in link', ${hashToken(token)}, ${options.userId}, 1,
            now() + make_interval(mins => ${options.minutes ?? 15}))
    returning expires_at`.execute(db);
  return { token, expiresAt: rows[0]?.expires_at ?? new Date() };
};

/** Uses the link up and says whose it was. Two who click at once: one gets in. */
export const useSigninLink = async (db: Db | Tx, token: string): Promise<number | undefined> => {
  const { rows } = await sql<{ user_id: number }>`
    update token t set uses_left = uses_left - 1, last_used_at = now()
    from app_user u
    where t.hash = ${hashToken(token)} and t.kind = 'signin' and t.uses_left > 0
      and t.revoked_at is null and t.expires_at > now() and u.id = t.user_id and not u.disabled
    returning t.user_id`.execute(db);
  return rows[0]?.user_id;
};

/** What is past its time: sessions, links. Called by a server's housekeeping. */
export const dropExpiredAccess = async (db: Db | Tx): Promise<void> => {
  await sql`delete from session where expires_at < now()`.execute(db);
  await sql`delete from token where kind = 'signin' and expires_at < now() - interval '1 day'`.execute(
    db,
  );
  await sql`delete from idempotency_key where created_at < now() - interval '1 day'`.execute(db);
};
