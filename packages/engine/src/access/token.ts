/** Tokens of people and programs, and those that let machines join. Only hashes are kept. */
import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { hashToken, makeToken } from '../node-token/node-token.ts';
import type { AccessRole } from './identify.ts';

export interface TokenRecord {
  readonly id: number;
  readonly kind: 'api' | 'signin' | 'join';
  readonly name: string;
  readonly userId: number | null;
  readonly user: string | null;
  readonly role: AccessRole | null;
  readonly usesLeft: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

const TOKEN = sql`t.id, t.kind, t.name, t.user_id as "userId", u.name as "user", t.role, t.uses_left as "usesLeft",
  t.created_at as "createdAt", t.expires_at as "expiresAt", t.revoked_at as "revokedAt", t.last_used_at as "lastUsedAt"`;

/** Without a user: all. Sign-in links are not listed, they live for minutes. */
export const listTokens = async (
  db: Db | Tx,
  options: { readonly userId?: number | undefined },
): Promise<TokenRecord[]> => {
  const mine = options.userId === undefined ? sql`true` : sql`t.user_id = ${options.userId}`;
  const { rows } = await sql<TokenRecord>`
    select ${TOKEN} from token t left join app_user u on u.id = t.user_id
    where t.kind <> 'signin' and ${mine} order by t.id desc limit 1000`.execute(db);
  return rows;
};

export const readToken = async (db: Db | Tx, id: number): Promise<TokenRecord> => {
  const { rows } = await sql<TokenRecord>`
    select ${TOKEN} from token t left join app_user u on u.id = t.user_id where t.id = ${id}`.execute(
    db,
  );
  if (rows[0] === undefined)
    throw new HostwrightError('not_found', { message: `there is no token ${id}` });
  return rows[0];
};

export interface NewToken {
  readonly kind: 'api' | 'join';
  readonly name: string;
  readonly userId: number | null;
  /** Absent: as much as the user may do. */
  readonly role?: AccessRole | null | undefined;
  readonly uses?: number | null | undefined;
  readonly hours?: number | null | undefined;
}

/** The secret is only in this answer. */
export const createToken = async (
  db: Db | Tx,
  wanted: NewToken,
): Promise<{ readonly token: TokenRecord; readonly secret: string }> => {
  const secret = makeToken(wanted.kind === 'api' ? 'hwa' : 'hwj');
  const { rows } = await sql<{ id: number }>`
    insert into token (kind, name, hash, user_id, role, uses_left, expires_at)
    values (${wanted.kind}, ${wanted.name}, ${hashToken(secret)}, ${wanted.userId}, ${wanted.role ?? null},
            ${wanted.uses ?? null}, now() + make_interval(hours => ${wanted.hours ?? null}::int))
    returning id`.execute(db);
  return { token: await readToken(db, rows[0]?.id ?? 0), secret };
};

export const revokeToken = async (db: Db | Tx, id: number): Promise<void> => {
  await sql`update token set revoked_at = coalesce(revoked_at, now()) where id = ${id}`.execute(db);
};
