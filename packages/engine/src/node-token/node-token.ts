/**
 * What a machine proves itself with: a random text, kept here only as its SHA-256. One token is
 * good for one node. While a rotation is under way both the old and the next one are good; the
 * first use of the next one ends the old.
 */
import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

export const makeToken = (prefix: string): string =>
  `${prefix}_${randomBytes(32).toString('base64url')}`;

/** A new token for a node that joined; every older one is dead from now on. */
export const issueNodeToken = async (tx: Tx, nodeId: number): Promise<string> => {
  const token = makeToken('hwn');
  const hash = hashToken(token);
  await tx
    .insertInto('node_token')
    .values({ node_id: nodeId, hash })
    .onConflict((conflict) =>
      conflict
        .column('node_id')
        .doUpdateSet({ hash, next_hash: null, rotated_at: sql<Date>`now()` }),
    )
    .execute();
  return token;
};

/** Opens a rotation for those of these nodes whose token is older than that: their next tokens, by node. */
export const rotateNodeTokens = async (
  db: Db,
  wanted: { readonly nodeIds: readonly number[]; readonly olderThanSeconds: number },
): Promise<ReadonlyMap<number, string>> => {
  const { rows } = await sql<{ id: number }>`
    select node_id as id from node_token where node_id = any(${[...wanted.nodeIds]}::bigint[])
      and rotated_at < now() - make_interval(secs => ${wanted.olderThanSeconds})`.execute(db);
  const next = new Map<number, string>();
  for (const { id } of rows) {
    const token = makeToken('hwn');
    await sql`update node_token set next_hash = ${hashToken(token)} where node_id = ${id}`.execute(
      db,
    );
    next.set(id, token);
  }
  return next;
};

/** The next token was used: it is the token now. */
export const promoteNodeToken = async (
  db: Db,
  wanted: { readonly nodeId: number; readonly hash: Buffer },
): Promise<void> => {
  await sql`
    update node_token set hash = next_hash, next_hash = null, rotated_at = now()
    where node_id = ${wanted.nodeId} and next_hash = ${wanted.hash}`.execute(db);
};

export interface KnownToken {
  readonly hash: Buffer;
  readonly nodeId: number;
  readonly name: string;
  readonly bootId: string | null;
  readonly next: boolean;
}

/** Whose tokens these are; unknown ones are left out. One statement for however many. */
export const readNodeTokens = async (
  db: Db,
  hashes: readonly Buffer[],
): Promise<readonly KnownToken[]> => {
  const found = await sql<KnownToken>`
    select t.hash, t.node_id as "nodeId", n.name, n.boot_id as "bootId", t.next
    from (
      select hash, node_id, false as next from node_token where hash = any(${[...hashes]}::bytea[])
      union all
      select next_hash, node_id, true from node_token where next_hash = any(${[...hashes]}::bytea[])
    ) t
    join node n on n.id = t.node_id
    where n.deleted_at is null`.execute(db);
  return found.rows;
};
