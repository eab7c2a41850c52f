/**
 * Drops what is older than the policy says, in chunks, each its own short transaction, so that
 * nobody waits behind it. Any process may call it at any time; one at a time does the work.
 */
import { sql, type RawBuilder } from 'kysely';
import { LOCKS } from '../db/locks.ts';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { cleanEvents } from './clean-events.ts';
import { readRetention, type RetentionPolicy } from './policy.ts';

export interface Cleaned {
  /** Runs whose log is gone. */
  readonly logs: number;
  readonly events: number;
  readonly deliveries: number;
  readonly idempotencyKeys: number;
  readonly sessions: number;
  readonly tokens: number;
  readonly audit: number;
  readonly frozenAttribs: number;
  readonly evidence: number;
  /** What workers wrote for the annealer's chart, which goes back a day. */
  readonly samples: number;
}

export interface CleanOptions {
  readonly policy?: RetentionPolicy;
  readonly chunk?: number;
  readonly signal?: AbortSignal;
}

/** undefined: another process is at it. */
export const cleanUp = async (db: Db, options: CleanOptions = {}): Promise<Cleaned | undefined> =>
  // A connection of its own holds the lock for the whole time; the chunks use others.
  db.connection().execute(async (holder) => {
    const { rows } = await sql<{
      held: boolean;
    }>`select pg_try_advisory_lock(${LOCKS.cleanUp}) as held`.execute(holder);
    if (rows[0]?.held !== true) return undefined;
    try {
      return await cleanAll(db, {
        ...options,
        policy: options.policy ?? (await readRetention(db)),
      });
    } finally {
      await sql`select pg_advisory_unlock(${LOCKS.cleanUp})`.execute(holder);
    }
  });

type Going = CleanOptions & { readonly policy: RetentionPolicy };

const cleanAll = async (db: Db, options: Going): Promise<Cleaned> => {
  const { policy } = options;
  const drop = (statement: (limit: number) => RawBuilder<unknown>) =>
    inChunks(db, options, statement);
  const before = (days: number) => sql`now() - make_interval(secs => ${days * 86_400}::float8)`;
  const logs =
    (await drop((limit) => dropLogs(sql`ended_at < ${before(policy.logDays)}`, limit))) +
    (await dropLargest(db, options));
  return {
    logs,
    events: await cleanEvents(db, {
      days: policy.eventDays,
      chunk: options.chunk ?? 5000,
      signal: options.signal,
    }),
    deliveries:
      (await drop(
        (limit) => sql`delete from webhook_delivery where id in (
          select id from webhook_delivery where created_at < ${before(policy.deliveryDays)}
            and (delivered_at is not null or dead_at is not null) limit ${limit})`,
      )) +
      (await drop(
        (limit) => sql`delete from hook_delivery where (handler, event_id) in (
          select handler, event_id from hook_delivery where dead_at < ${before(policy.deliveryDays)} limit ${limit})`,
      )),
    idempotencyKeys: await drop(
      (limit) => sql`delete from idempotency_key where (actor, key) in (
        select actor, key from idempotency_key where created_at < ${before(policy.idempotencyHours / 24)} limit ${limit})`,
    ),
    sessions: await drop(
      (limit) =>
        sql`delete from session where id_hash in (select id_hash from session where expires_at < now() limit ${limit})`,
    ),
    // Used up or long expired; those that are good, and a short while after, stay to be seen.
    tokens: await drop(
      (limit) => sql`delete from token where id in (select id from token
        where coalesce(revoked_at, expires_at) < ${before(30)} limit ${limit})`,
    ),
    audit: await drop(
      (limit) =>
        sql`delete from audit where id in (select id from audit where at < ${before(policy.auditDays)} limit ${limit})`,
    ),
    evidence: await drop(
      (
        limit,
      ) => sql`delete from evidence where id in (select e.id from evidence e left join run r on r.id = e.run_id
        where e.at < ${before(policy.logDays)} and (r.id is null or r.ended_at is not null) limit ${limit})`,
    ),
    samples: await drop(
      (limit) => sql`delete from worker_sample where (at, worker_id) in (
        select at, worker_id from worker_sample where at < ${before(2)} limit ${limit})`,
    ),
    // Attributes are kept as long as the logs of the runs that had them; live runs keep theirs.
    frozenAttribs: await drop(
      (limit) => sql`delete from frozen_attribs where hash in (
        select f.hash from frozen_attribs f where f.created_at < ${before(policy.logDays)}
          and not exists (select 1 from run r where r.attribs_hash = f.hash and (r.ended_at is null or r.ended_at >= ${before(policy.logDays)}))
        limit ${limit})`,
    ),
  };
};

const inChunks = async (
  db: Db,
  options: Going,
  statement: (limit: number) => RawBuilder<unknown>,
): Promise<number> => {
  const chunk = options.chunk ?? 5000;
  let all = 0;
  for (;;) {
    if (options.signal?.aborted === true) return all;
    const result = await transaction(db, (tx) => statement(chunk).execute(tx));
    const count = Number(result.numAffectedRows ?? 0n);
    all += count;
    // Some statements take fewer rows than asked for: only nothing means that nothing is left.
    if (count === 0) return all;
  }
};

/** Logs of some runs; the runs stay and say that their log is gone. */
const dropLogs = (which: RawBuilder<unknown>, limit: number) => sql`
  with runs as materialized (
    select id from run where log_lines > 0 and ended_at is not null and ${which}
    order by ended_at limit ${Math.max(1, Math.floor(limit / 50))} for update skip locked
  ), gone as (
    delete from run_log l using runs where l.run_id = runs.id
  )
  update run set log_lines = 0 from runs where run.id = runs.id`;

/** The size on disk does not shrink by deleting, so it is reckoned from the lines that are left. */
const dropLargest = async (db: Db, options: Going): Promise<number> => {
  const limit = options.policy.logMegabytes * 1_000_000;
  const { rows } = await sql<{ bytes: number }>`
    select (pg_total_relation_size('run_log') * coalesce(
      (select 1 - n_dead_tup::float8 / nullif(n_live_tup + n_dead_tup, 0) from pg_stat_user_tables where relname = 'run_log'), 1))::float8 as bytes`.execute(
    db,
  );
  const bytes = rows[0]?.bytes ?? 0;
  if (bytes <= limit) return 0;
  const share = 1 - limit / bytes;
  const { rows: cut } = await sql<{ at: Date | null }>`
    select percentile_disc(${share}::float8) within group (order by ended_at) as at from run where log_lines > 0 and ended_at is not null`.execute(
    db,
  );
  const at = cut[0]?.at;
  if (at === undefined || at === null) return 0;
  return inChunks(db, options, (chunk) => dropLogs(sql`ended_at <= ${at}`, chunk));
};
