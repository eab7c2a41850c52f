/** Adds lines to a run's log while it lasts. Only the holder of the token may: a fenced writer's lines are dropped. */
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { writeLog, type LogLine } from './write-ending.ts';

export interface RunLines {
  readonly runId: number;
  readonly token: number;
  readonly lines: readonly LogLine[];
}

export const appendRunLog = async (db: Db, { runId, token, lines }: RunLines): Promise<boolean> =>
  transaction(db, async (tx) => {
    const { rows } = await sql<{ first: number }>`
      update run set log_lines = log_lines + ${lines.length} where id = ${runId} and token = ${token}
        and status in ('running', 'waiting', 'cancelling') returning log_lines - ${lines.length} as first`.execute(
      tx,
    );
    const first = rows[0]?.first;
    if (first === undefined) return false;
    await writeLog(
      tx,
      lines.map((line, index) => ({ ...line, runId, seq: first + index + 1 })),
    );
    return true;
  });
