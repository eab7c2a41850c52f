/**
 * Erasures that wait for the teardowns of their release, carried on by a tick of whichever process
 * looks first: all that is known of them is in the database. One ends in the commit that grants its
 * consent, or in an error that stays to be read; then nothing was erased. Never erases other disks
 * than those that were named, nor a machine that somebody has taken into use again.
 */
import { HostwrightError, type Disk, type JsonObject } from '@hostwright/core';
import {
  discardSnapshot,
  emit,
  lockTree,
  needNode,
  transaction,
  type Database,
  type Db,
  type Log,
  type Tx,
} from '@hostwright/engine';
import { sql } from 'kysely';
import { bootAdviser } from '../effect/adviser.ts';
import { foreseeInstall } from '../effect/foresee-install.ts';
import { planDisks } from '../effect/tell-install.ts';
import { ERASE_ROLE } from '../install/plan-erase.ts';
import { eraseNode, RELEASED } from './erase.ts';

const KEEPER = 'the boot keeper';
/** How long an ended one can be read. */
const KEPT_SECONDS = 7 * 86_400;

interface Waiting {
  readonly nodeId: number;
  /** Which wish it is: one that is asked anew is another. With microseconds, so as text. */
  readonly askedAt: string;
  readonly node: string;
  readonly actor: string;
  readonly how: 'quick' | 'full';
  readonly serials: readonly string[];
  readonly bytes: readonly number[];
  readonly waitsFor: string;
  readonly late: boolean;
  readonly deleted: boolean;
  readonly pending: readonly string[];
  readonly failed: readonly string[];
  readonly inUse: readonly string[];
}

const listWaiting = async (db: Db) =>
  db
    .selectFrom('node_release')
    .select('node_id')
    .where('failed', 'is', null)
    .orderBy('asked_at')
    .execute();

/** A teardown has failed when the last one of its noderole did: one that is retried is under way again. */
const readWaiting = async (db: Db | Tx, nodeId: number): Promise<Waiting | undefined> => {
  const { rows } = await sql<Waiting>`
    select e.node_id as "nodeId", e.asked_at::text as "askedAt", n.name as node, e.asked_by as actor, e.how, e.serials, to_jsonb(e.bytes) as bytes, e.waits_for as "waitsFor",
      e.deadline_at < now() as late, n.deleted_at is not null as deleted,
      array(select r.name from noderole w join role r on r.id = w.role_id where w.node_id = n.id and w.removing order by 1) as pending,
      array(select 'the teardown of ' || r.name || ' failed: ' || coalesce(nullif(t.error, ''), t.status)
        from noderole w join role r on r.id = w.role_id
        join lateral (select x.status, x.error, x.blame from run x
          where x.node_id = w.node_id and x.noderole_id = w.id and x.kind = 'teardown' order by x.id desc limit 1) t
          on t.status = 'failed' or t.status = 'cancelled' and t.blame is not null
        where w.node_id = n.id and w.removing and w.state = 'error' order by 1) as failed,
      array(select r.name || ' in ' || d.name from noderole w join role r on r.id = w.role_id join deployment d on d.id = w.deployment_id
        where w.node_id = n.id and not w.removing and not d.system and r.name <> ${ERASE_ROLE} order by 1) as "inUse"
    from node_release e join node n on n.id = e.node_id
    where e.failed is null and e.node_id = ${nodeId}`.execute(db);
  return rows[0];
};

/** What is not as it was when somebody named the disks. Pure. */
const comparedDisks = (
  disks: readonly Disk[],
  named: { readonly serials: readonly string[]; readonly bytes: readonly number[] },
): readonly string[] => {
  const sizes = new Map(named.serials.map((serial, index) => [serial, named.bytes[index]]));
  const now = new Map(disks.map((disk) => [disk.serial ?? disk.name, disk]));
  return [
    ...named.serials.filter((serial) => !now.has(serial)).map((serial) => `${serial} is gone`),
    ...[...now].flatMap(([serial, disk]) => {
      const size = sizes.get(serial);
      if (size === undefined) return [`${disk.name} (${serial}) was not named`];
      return size === disk.bytes ? [] : [`${disk.name} (${serial}) has another size`];
    }),
  ];
};

/** Why it ends here; null: it does not. */
const findEnd = async (db: Db | Tx, wish: Waiting): Promise<string | null> => {
  // it may be adopted again: what was asked of its old life is not for its new one
  if (wish.deleted) return 'the node was deleted';
  if (wish.failed.length > 0) return wish.failed.join('; ');
  if (wish.inUse.length > 0) return `it is in use again: ${wish.inUse.join(', ')}`;
  if (wish.late) {
    const torn = wish.pending.length > 0 ? `the teardown of ${wish.pending.join(', ')}` : '';
    return `nothing came of it in a day: ${torn || wish.waitsFor || 'it could not be begun'}`;
  }
  if (wish.pending.length > 0) return null;
  const node = await needNode(db, wish.nodeId);
  const discovery: JsonObject = node.discovery;
  const attribs = { erase: { how: wish.how } };
  const made = await foreseeInstall(db, { role: ERASE_ROLE, node: node.name, attribs, discovery });
  if (!made.ok) return made.refusals.map((refusal) => refusal.message).join('; ');
  const odd = comparedDisks(planDisks(made.plan, discovery), wish);
  return odd.length === 0 ? null : `its disks are not those that were named: ${odd.join(', ')}`;
};

const end = async (db: Db, wish: Waiting, reason: string): Promise<void> =>
  transaction(db, async (tx) => {
    const ended = await tx
      .updateTable('node_release')
      .set({
        failed: `${reason}; nothing was erased`,
        deadline_at: sql<Date>`now() + ${KEPT_SECONDS} * interval '1 second'`,
      })
      .where('node_id', '=', wish.nodeId)
      .where(sql<boolean>`asked_at = ${wish.askedAt}::timestamptz`)
      .where('failed', 'is', null)
      .executeTakeFirst();
    // somebody asked for something else meanwhile
    if (ended.numUpdatedRows === 0n) return;
    await emit(tx, {
      kind: 'node.erasure',
      nodeId: wish.nodeId,
      payload: { state: 'ended', disks: [...wish.serials], reason, actor: wish.actor },
    });
  });

/**
 * In the transaction that grants the leave: what was decided on must hold still, and nobody may bind,
 * delete or ask anew until it ends. Used up with the consent, so that no crash makes a second one of it.
 */
const useUp = async (tx: Tx, wish: Waiting): Promise<void> => {
  await lockTree(tx, 'alone');
  await sql`
    select from node_release e join node n on n.id = e.node_id
    where e.node_id = ${wish.nodeId} for update of e for no key update of n`.execute(tx);
  // a statement of its own: it sees what others did while the lock was waited for
  const now = await readWaiting(tx, wish.nodeId);
  if (
    now === undefined ||
    now.askedAt !== wish.askedAt ||
    now.pending.length > 0 ||
    (await findEnd(tx, now)) !== null
  )
    throw new HostwrightError('conflict', {
      message: 'the erasure is not what it was when it was looked at',
    });
  await tx.deleteFrom('node_release').where('node_id', '=', wish.nodeId).execute();
};

const listOpen = async (db: Db, nodeId: number | null) => {
  const { rows } = await sql<{ id: number; by: string; deployment: string }>`
    select s.id, s.created_by as by, d.name as deployment from snapshot s join deployment d on d.id = s.deployment_id
    where s.state = 'proposed' and (d.name = ${RELEASED} or s.created_by = ${KEEPER} or d.id in (
      select w.deployment_id from noderole w join role r on r.id = w.role_id where w.node_id = ${nodeId} and r.name = ${ERASE_ROLE}))
    order by s.id`.execute(db);
  return rows;
};

/** A proposal that an attempt of ours left behind is in nobody's interest; a person's is waited for. */
const clearTheWay = async (db: Db, nodeId: number | null): Promise<string | null> => {
  const open = await listOpen(db, nodeId);
  for (const { by, id } of open)
    if (by === KEEPER) await discardSnapshot(db, { snapshotId: id, actor: KEEPER });
  const theirs = open.find(({ by }) => by !== KEEPER);
  return theirs === undefined
    ? null
    : `the deployment ${theirs.deployment} has an open proposal of ${theirs.by}: commit or discard it`;
};

/** Looks anew: those before it may have taken long. */
const carryOne = async (db: Db, nodeId: number): Promise<void> => {
  const wish = await readWaiting(db, nodeId);
  if (wish === undefined) return;
  const reason = await findEnd(db, wish);
  if (reason !== null) return end(db, wish, reason);
  if (wish.pending.length > 0) return;
  const waitsFor = await clearTheWay(db, nodeId);
  if (waitsFor !== null) {
    if (waitsFor !== wish.waitsFor)
      await db
        .updateTable('node_release')
        .set({ waits_for: waitsFor })
        .where('node_id', '=', nodeId)
        .execute();
    return;
  }
  try {
    await eraseNode(db, {
      node: wish.node,
      actor: wish.actor,
      proposer: KEEPER,
      erase: { disks: wish.serials, how: wish.how },
      advisers: [bootAdviser],
      withConsent: (tx) => useUp(tx, wish),
    });
  } catch (error) {
    if (!(error instanceof HostwrightError && error.code === 'refused')) throw error;
    const said = error.refusals.map((refusal) => refusal.message).join('; ');
    await end(db, wish, said === '' ? error.message : said);
  }
};

/** Held while others work on their own connections: of two one carries. Tells whether it was this one. */
const inTurn = async (db: Db, body: () => Promise<void>): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(hashtext('hostwright releases')) as mine`.execute(tx);
    if (rows[0]?.mine !== true) return false;
    await body();
    return true;
  });

export const carryReleases = async (database: Pick<Database, 'db'>, log: Log): Promise<void> => {
  const { db } = database;
  await sql`delete from node_release where failed is not null and deadline_at < now()`.execute(db);
  const left = (await listOpen(db, null)).some(({ by }) => by === KEEPER);
  if (!left && (await listWaiting(db)).length === 0) return;
  await inTurn(db, async () => {
    await clearTheWay(db, null);
    for (const { node_id: nodeId } of await listWaiting(db))
      await carryOne(db, nodeId).catch((error: unknown) =>
        log.warn({ err: error, nodeId }, 'an erasure could not be begun; trying again'),
      );
  });
};

/** One that was just asked for, at once; if others are being carried, or it was overtaken, the keeper does it. */
export const carryRelease = async (
  db: Db,
  nodeId: number,
): Promise<{ readonly begun: boolean; readonly failed: string | null }> => {
  const mine = await inTurn(db, () =>
    carryOne(db, nodeId).catch((error: unknown) => {
      if (!(error instanceof HostwrightError)) throw error;
    }),
  );
  const wish = await db
    .selectFrom('node_release')
    .select('failed')
    .where('node_id', '=', nodeId)
    .executeTakeFirst();
  if (!mine) await sql`select pg_notify('hostwright_boot', '')`.execute(db);
  return { begun: wish === undefined, failed: wish?.failed ?? null };
};
