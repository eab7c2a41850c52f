/**
 * Joins machines that are plainly new, many in one transaction: a rack that is switched on comes in
 * together, and one by one each machine costs thirty statements. Whoever is not plainly new - a
 * token that does not hold, a known part of an identity, a name that is taken, two of one kind in
 * the batch - is left to joinNode, which knows what to say. Nothing is decided here but "new".
 */
import { sql } from 'kysely';
import { PAIR_LOCKS } from '../db/locks.ts';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import type { Machine } from '../node/adopt.ts';
import { insertNodes } from '../node/create.ts';
import { identityKeys, identityOf, lockIdentity, type Identity } from '../node/identity.ts';
import { chooseName } from '../node/name.ts';
import type { JoinedNode } from './join-node.ts';
import { hashToken, makeToken } from './node-token.ts';

export interface NewJoin {
  readonly token: string;
  readonly machine: Machine;
}

interface Candidate {
  readonly join: NewJoin;
  readonly at: number;
  readonly identity: Identity;
  readonly name: string;
  readonly tokenId: number;
}

/** Ends the transaction: the batch is left to be joined one by one. */
class LeftOver extends Error {}

const readTokens = async (tx: Tx, joins: readonly NewJoin[]): Promise<Map<string, number>> => {
  const byHash = new Map(
    [...new Set(joins.map((join) => join.token))].map((token) => [
      hashToken(token).toString('hex'),
      token,
    ]),
  );
  const { rows } = await sql<{ id: number; hash: string }>`
    select id, encode(hash, 'hex') as hash from token
    where hash = any(array(select decode(h, 'hex') from unnest(${[...byHash.keys()]}::text[]) h)) and kind = 'join' and revoked_at is null
      and (expires_at is null or expires_at > now()) and (uses_left is null or uses_left > 0)
      and not exists (select from boot_intent i where i.id = boot_intent_id and i.node_id is not null)`.execute(
    tx,
  );
  return new Map(rows.map((row) => [byHash.get(row.hash) ?? '', row.id]));
};

/** Those of which each key and each name is given once. */
const distinct = (joins: readonly NewJoin[], tokens: ReadonlyMap<string, number>): Candidate[] => {
  const taken = new Set<string>();
  return joins.flatMap((join, at) => {
    const tokenId = tokens.get(join.token);
    const identity = identityOf(join.machine);
    const keys = identityKeys(identity);
    if (tokenId === undefined || keys.length === 0) return [];
    const name = chooseName(join.machine.hostname, identity.macs);
    const claims = [...keys, `name ${name}`];
    if (claims.some((claim) => taken.has(claim))) return [];
    for (const claim of claims) taken.add(claim);
    return [{ join, at, identity, name, tokenId }];
  });
};

/** Deleted nodes count too: theirs is another story. The caller holds the locks of the identities. */
const withoutKnown = async (tx: Tx, candidates: readonly Candidate[]): Promise<Candidate[]> => {
  const names = candidates.map(({ name }) => name);
  await sql`
    select pg_advisory_xact_lock(${PAIR_LOCKS.nodeName}::int, k.key) from (
      select distinct hashtext(t.name) as key from unnest(${names}::text[]) t(name) order by 1
    ) k`.execute(tx);
  const { rows } = await sql<{ key: string }>`
    select 'uuid ' || system_uuid as key from node where system_uuid = any(${candidates.map(({ identity }) => identity.system_uuid)}::text[])
    union all
    select 'serial ' || serial from node where serial = any(${candidates.map(({ identity }) => identity.serial)}::text[])
    union all
    select 'mac ' || unnest(macs) from node where macs && ${candidates.flatMap(({ identity }) => identity.macs)}::text[]
    union all
    select 'name ' || name from node where name = any(${names}::text[]) and deleted_at is null`.execute(
    tx,
  );
  const known = new Set(rows.map((row) => row.key));
  return candidates.filter(
    ({ identity, name }) =>
      ![...identityKeys(identity), `name ${name}`].some((key) => known.has(key)),
  );
};

/** Last, because the row of a limited token is locked until the commit. */
const takeUses = async (tx: Tx, candidates: readonly Candidate[]): Promise<void> => {
  for (const [tokenId, users] of Map.groupBy(candidates, ({ tokenId: id }) => id)) {
    const { rows } = await sql<{ held: boolean }>`
      with taken as (
        update token set uses_left = uses_left - ${users.length}::int, last_used_at = now()
        where id = ${tokenId} and uses_left is not null and uses_left >= ${users.length}::int returning id)
      select exists (select from taken) or exists (
        select from token where id = ${tokenId} and uses_left is null and revoked_at is null) as held`.execute(
      tx,
    );
    if (rows[0]?.held !== true) throw new LeftOver('used up');
  }
};

const join = async (tx: Tx, joins: readonly NewJoin[]): Promise<Map<number, JoinedNode>> => {
  const candidates = distinct(joins, await readTokens(tx, joins));
  if (candidates.length === 0) return new Map();
  await lockIdentity(
    tx,
    candidates.flatMap(({ identity }) => identityKeys(identity)),
  );
  const fresh = await withoutKnown(tx, candidates);
  if (fresh.length === 0) return new Map();
  const created = await insertNodes(tx, {
    nodes: fresh.map(({ name, identity }) => ({
      name,
      macs: identity.macs,
      systemUuid: identity.system_uuid ?? undefined,
      serial: identity.serial ?? undefined,
    })),
    actor: 'join',
  });
  if (!created.ok || created.nodes.length !== fresh.length) throw new LeftOver('refused');
  const idOf = new Map(created.nodes.map((node) => [node.name, node.id]));
  const joined = new Map(
    fresh.map(({ at, name }) => [
      at,
      { nodeId: idOf.get(name) ?? 0, name, token: makeToken('hwn'), how: 'created' as const },
    ]),
  );
  const nodes = [...joined.values()];
  await sql`
    insert into node_token (node_id, hash)
    select t.node_id, decode(t.hash, 'hex')
    from unnest(${nodes.map(({ nodeId }) => nodeId)}::bigint[], ${nodes.map(({ token }) => hashToken(token).toString('hex'))}::text[]) t(node_id, hash)`.execute(
    tx,
  );
  await takeUses(tx, fresh);
  return joined;
};

/** In the order given; undefined: not plainly new, ask joinNode. */
export const joinNewNodes = async (
  db: Db,
  joins: readonly NewJoin[],
): Promise<(JoinedNode | undefined)[]> => {
  let joined: ReadonlyMap<number, JoinedNode> = new Map();
  try {
    joined = await transaction(db, (tx) => join(tx, joins));
  } catch (error) {
    if (!(error instanceof LeftOver)) throw error;
  }
  return joins.map((_, at) => joined.get(at));
};
