/** People. At least one admin who can sign in remains, whatever is asked. */
import { HostwrightError, type Refusal } from '@hostwright/core';
import { sql } from 'kysely';
import { whereIdOrName } from '../db/id-or-name.ts';
import { PAIR_LOCKS } from '../db/locks.ts';
import type { Db, Tx } from '../db/open.ts';
import { sqlState, transaction } from '../db/transaction.ts';
import type { Page, PageWish } from '../page/cursor.ts';
import { listById } from '../page/list-by-id.ts';
import type { AccessRole, Grant } from './identify.ts';
import { closeSessionsOf } from './session.ts';

export interface UserRecord {
  readonly id: number;
  readonly name: string;
  readonly role: AccessRole;
  readonly disabled: boolean;
  readonly hasPassword: boolean;
  readonly grants: readonly Grant[];
  readonly createdAt: Date;
}

const USER = sql`u.id, u.name, u.role, u.disabled, u.password_hash is not null as "hasPassword",
  u.created_at as "createdAt", coalesce((
    select json_agg(json_build_object('deploymentId', g.deployment_id, 'deployment', d.name, 'role', g.role) order by d.name)
    from user_grant g join deployment d on d.id = g.deployment_id where g.user_id = u.id), '[]') as grants`;

export const listUsers = (db: Db | Tx, wish: PageWish = {}): Promise<Page<UserRecord>> =>
  listById<UserRecord>(db, {
    name: 'user',
    columns: USER,
    from: sql`app_user u`,
    id: sql`u.id`,
    where: [],
    descending: false,
    wish,
  });

export const needUser = async (db: Db | Tx, nameOrId: string | number): Promise<UserRecord> => {
  const text = String(nameOrId);
  const where = whereIdOrName('u', text);
  const { rows } = await sql<UserRecord>`select ${USER} from app_user u where ${where}`.execute(db);
  if (rows[0] === undefined)
    throw new HostwrightError('not_found', { message: `there is no user ${text.slice(0, 128)}` });
  return rows[0];
};

export const createUser = async (
  db: Db,
  user: { readonly name: string; readonly role: AccessRole; readonly passwordHash?: string | null },
): Promise<UserRecord> => {
  try {
    return await transaction(db, async (tx) => {
      await tx
        .insertInto('app_user')
        .values({ name: user.name, role: user.role, password_hash: user.passwordHash ?? null })
        .execute();
      return needUser(tx, user.name);
    });
  } catch (error) {
    if (sqlState(error) === '23505')
      throw new HostwrightError('name_taken', {
        message: `there is already a user ${user.name}`,
        refusals: [{ code: 'name_taken', path: 'name', message: `${user.name} is taken` }],
        cause: error,
      });
    throw error;
  }
};

/** Makes the user `admin` on a new system; does nothing if any user exists. */
export const ensureFirstUser = async (
  db: Db,
): Promise<{ readonly userId: number; readonly made: boolean }> => {
  const { rows } = await sql<{ id: number }>`
    insert into app_user (name, role) select 'admin', 'admin'
    where not exists (select 1 from app_user) on conflict do nothing returning id`.execute(db);
  if (rows[0] !== undefined) return { userId: rows[0].id, made: true };
  const first = await sql<{ id: number }>`
    select id from app_user where role = 'admin' and not disabled order by name <> 'admin', id limit 1`.execute(
    db,
  );
  const id = first.rows[0]?.id;
  if (id === undefined)
    throw new HostwrightError('conflict', { message: 'there is no admin who may sign in' });
  return { userId: id, made: false };
};

const needAnAdmin = async (tx: Tx): Promise<void> => {
  const { rows } =
    await sql`select 1 from app_user where role = 'admin' and not disabled limit 1`.execute(tx);
  if (rows.length === 0)
    throw new HostwrightError('in_use', { message: 'this is the last admin who may sign in' });
};

// Two admins who demote each other at once would leave none: one at a time.
const LOCK = sql`select pg_advisory_xact_lock(${PAIR_LOCKS.admins}::int, 0)`;

export const updateUser = async (
  db: Db,
  change: {
    readonly user: string;
    readonly role?: AccessRole | undefined;
    readonly disabled?: boolean | undefined;
    readonly passwordHash?: string | null | undefined;
    /** The session that asks for its own user: it stays. */
    readonly keepSession?: string | undefined;
  },
): Promise<UserRecord> =>
  transaction(db, async (tx) => {
    await LOCK.execute(tx);
    const user = await needUser(tx, change.user);
    await sql`update app_user set role = coalesce(${change.role ?? null}, role),
      disabled = coalesce(${change.disabled ?? null}, disabled) where id = ${user.id}`.execute(tx);
    if (change.passwordHash !== undefined)
      await sql`update app_user set password_hash = ${change.passwordHash} where id = ${user.id}`.execute(
        tx,
      );
    if (change.disabled === true || change.passwordHash !== undefined)
      await closeSessionsOf(tx, { userId: user.id, except: change.keepSession });
    await needAnAdmin(tx);
    return needUser(tx, user.id);
  });

export const deleteUser = async (db: Db, nameOrId: string): Promise<void> =>
  transaction(db, async (tx) => {
    await LOCK.execute(tx);
    const user = await needUser(tx, nameOrId);
    await tx.deleteFrom('app_user').where('id', '=', user.id).execute();
    await needAnAdmin(tx);
  });

export const setGrants = async (
  db: Db,
  wanted: {
    readonly user: string;
    readonly grants: readonly { readonly deployment: string; readonly role: AccessRole }[];
  },
): Promise<UserRecord> =>
  transaction(db, async (tx) => {
    const user = await needUser(tx, wanted.user);
    await tx.deleteFrom('user_grant').where('user_id', '=', user.id).execute();
    const refusals: Refusal[] = [];
    for (const [index, grant] of wanted.grants.entries()) {
      const done = await sql`
        insert into user_grant (user_id, deployment_id, role)
        select ${user.id}, id, ${grant.role} from deployment where ${grant.deployment} in (name, id::text)
        on conflict (user_id, deployment_id) do update set role = excluded.role`.execute(tx);
      if (done.numAffectedRows === 0n)
        refusals.push({
          code: 'not_found',
          path: `grants/${index}/deployment`,
          message: `there is no deployment ${grant.deployment.slice(0, 255)}`,
        });
    }
    if (refusals.length > 0) throw new HostwrightError('refused', { refusals });
    return needUser(tx, user.id);
  });
