/** Whose token or session this is. One statement per request, so that a revoked one is dead at once. */
import { sql } from 'kysely';
import { findIdOrName, whereIdOrName } from '../db/id-or-name.ts';
import type { Db, Tx } from '../db/open.ts';

export type AccessRole = 'viewer' | 'operator' | 'admin';

export interface Grant {
  readonly deploymentId: number;
  readonly deployment: string;
  readonly role: AccessRole;
}

export interface Identity {
  readonly userId: number | null;
  readonly name: string;
  readonly role: AccessRole;
  readonly grants: readonly Grant[];
}

export interface SessionIdentity extends Identity {
  readonly csrf: string;
  readonly expiresAt: Date;
}

const GRANTS = sql`coalesce((
  select json_agg(json_build_object('deploymentId', g.deployment_id, 'deployment', d.name, 'role', g.role) order by d.name)
  from user_grant g join deployment d on d.id = g.deployment_id where g.user_id = u.id), '[]')`;

export const findSession = async (
  db: Db | Tx,
  idHash: Buffer,
): Promise<SessionIdentity | undefined> => {
  const { rows } = await sql<SessionIdentity>`
    select u.id as "userId", u.name, u.role, ${GRANTS} as grants, s.csrf, s.expires_at as "expiresAt"
    from session s join app_user u on u.id = s.user_id
    where s.id_hash = ${idHash} and s.expires_at > now() and not u.disabled`.execute(db);
  return rows[0];
};

export interface TokenIdentity extends Identity {
  readonly tokenId: number;
  /** It may do less than its user: a role of its own, and none of the grants. */
  readonly narrowed: boolean;
}

/** A token can do at most what its user can do now; grants count only if the token is not narrowed. */
export const findApiToken = async (
  db: Db | Tx,
  hash: Buffer,
): Promise<TokenIdentity | undefined> => {
  const { rows } = await sql<
    TokenIdentity & { userRole: AccessRole | null; tokenRole: AccessRole | null; stale: boolean }
  >`
    select t.id as "tokenId", u.id as "userId", coalesce(u.name, 'token ' || t.name) as name,
           u.role as "userRole", t.role as "tokenRole", ${GRANTS} as grants,
           t.last_used_at is null or t.last_used_at < now() - interval '1 minute' as stale
    from token t left join app_user u on u.id = t.user_id
    where t.hash = ${hash} and t.kind = 'api' and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > now())
      and (t.user_id is null or not u.disabled)`.execute(db);
  const row = rows[0];
  if (row === undefined) return undefined;
  // once a minute is enough to see which tokens are in use
  if (row.stale)
    await sql`update token set last_used_at = now() where id = ${row.tokenId}`.execute(db);
  const role = weaker(row.userRole, row.tokenRole);
  if (role === undefined) return undefined;
  const { tokenId, userId, name } = row;
  const narrowed = row.tokenRole !== null;
  return { tokenId, userId, name, role, narrowed, grants: narrowed ? [] : row.grants };
};

const RANK: Readonly<Record<AccessRole, number>> = { viewer: 1, operator: 2, admin: 3 };

const weaker = (one: AccessRole | null, other: AccessRole | null): AccessRole | undefined => {
  if (one === null || other === null) return one ?? other ?? undefined;
  return RANK[one] <= RANK[other] ? one : other;
};

/** The deployment and all above it: a grant on any of them counts. */
export const readAncestry = async (db: Db | Tx, deploymentId: number): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    with recursive up as (
      select id, parent_id from deployment where id = ${deploymentId}
      union all
      select d.id, d.parent_id from deployment d join up on d.id = up.parent_id
    ) select id from up`.execute(db);
  return rows.map((row) => row.id);
};

/** Which deployment an object belongs to; undefined if there is no such object. */
export const readDeploymentOf = async (
  db: Db | Tx,
  object: {
    readonly kind: 'deployment' | 'snapshot' | 'noderole' | 'run' | 'node';
    readonly ref: string;
  },
): Promise<number | undefined> => {
  const { kind, ref } = object;
  if (kind !== 'deployment' && kind !== 'node' && findIdOrName(ref).id === undefined)
    return undefined;
  const byRef = whereIdOrName(kind, ref);
  const query = {
    deployment: sql`select id from deployment where ${byRef}`,
    node: sql`select deployment_id as id from node where ${byRef} and deleted_at is null`,
    snapshot: sql`select deployment_id as id from snapshot where ${byRef}`,
    noderole: sql`select deployment_id as id from noderole where ${byRef}`,
    run: sql`select deployment_id as id from run where ${byRef}`,
  }[kind];
  const { rows } = await sql<{ id: number }>`${query}`.execute(db);
  return rows[0]?.id;
};
