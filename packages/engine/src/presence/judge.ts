/**
 * Who is alive, by hysteresis: a node dies after it was silent for several windows in a row, and
 * lives again when it is heard of in the boot it was last alive in.
 *
 * Called as often as you like by any process; one call per window counts. A window in which nobody
 * judged, or in which no server listened, counts for nothing: all counters start again, and a full
 * window passes before the next judgement.
 */
import { sql } from 'kysely';
import { LOCKS } from '../db/locks.ts';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { nodeLost } from '../run/node-lost.ts';
import { HEARD_KEY } from './record.ts';

export interface JudgeOptions {
  /** A node polls several times in one window. */
  readonly windowSeconds?: number;
  /** Silent windows in a row before it is taken for dead. */
  readonly missedLimit?: number;
}

export interface Judgement {
  /** False: the window is not over yet, or another process is judging. */
  readonly judged: boolean;
  readonly died: readonly number[];
  readonly returned: readonly number[];
}

const KEY = 'presence.judged';
const NOBODY: Judgement = { judged: false, died: [], returned: [] };

export const judgePresence = async (db: Db, options: JudgeOptions = {}): Promise<Judgement> =>
  transaction(db, async (tx) => {
    const windowSeconds = options.windowSeconds ?? 30;
    const missedLimit = options.missedLimit ?? 3;
    const { rows } = await sql<{ held: boolean }>`
      select pg_try_advisory_xact_lock(${LOCKS.judgePresence}) as held`.execute(tx);
    if (rows[0]?.held !== true) return NOBODY;
    const since = await secondsSince(tx, KEY);
    if (since !== undefined && since < windowSeconds)
      return { ...NOBODY, returned: await revive(tx) };
    await markJudged(tx);
    const heard = await secondsSince(tx, HEARD_KEY);
    const deaf = heard === undefined || heard > windowSeconds;
    if (since === undefined || since > 2 * windowSeconds || deaf) {
      await sql`update node_presence set missed = 0 where missed > 0`.execute(tx);
      return { ...NOBODY, returned: await revive(tx) };
    }
    await sql`
      update node_presence p set missed = p.missed + 1
      from node n where n.id = p.node_id and n.alive and n.deleted_at is null
        and p.last_seen_at < now() - make_interval(secs => ${windowSeconds})`.execute(tx);
    const died = await bury(tx, { missedLimit, windowSeconds });
    return { judged: true, died, returned: await revive(tx) };
  });

const secondsSince = async (tx: Tx, key: string): Promise<number | undefined> => {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from now() - (value #>> '{}')::timestamptz)::float8 as seconds
    from setting where key = ${key}`.execute(tx);
  return rows[0]?.seconds;
};

const markJudged = async (tx: Tx): Promise<void> => {
  await sql`
    insert into setting (key, value) values (${KEY}, to_jsonb(now()))
    on conflict (key) do update set value = excluded.value, updated_at = now()`.execute(tx);
};

const bury = async (
  tx: Tx,
  options: { readonly missedLimit: number; readonly windowSeconds: number },
): Promise<number[]> => {
  const { rows } = await sql<{ id: number; reason: string }>`
    update node n set alive = false, alive_changed_at = now(),
      alive_reason = 'silent since ' || to_char(p.last_seen_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    from node_presence p
    where p.node_id = n.id and n.alive and n.deleted_at is null and p.missed >= ${options.missedLimit}
      and p.last_seen_at < now() - make_interval(secs => ${options.windowSeconds})
    returning n.id, n.alive_reason as reason`.execute(tx);
  for (const { id, reason } of rows.toSorted((a, b) => a.id - b.id))
    await nodeLost(tx, { nodeId: id, reason });
  return rows.map((row) => row.id);
};

/** Heard of again after it was buried. A held node, or one whose boot is not known, is not. */
const revive = async (tx: Tx): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    update node n set alive = true, alive_reason = '', alive_changed_at = now()
    from node_presence p
    where p.node_id = n.id and not n.alive and n.deleted_at is null and n.alive_hold is null and n.boot_id is not null
      and p.missed = 0 and p.last_seen_at > n.alive_changed_at
    returning n.id`.execute(tx);
  return rows.map((row) => row.id);
};
