import { HostwrightError, type RunStatus } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';

export interface StoredLine {
  readonly seq: number;
  readonly at: Date;
  readonly stream: 'out' | 'err' | 'jig';
  readonly text: string;
}

export interface RunLogPart {
  readonly lines: readonly StoredLine[];
  /** Go on from here. */
  readonly after: number;
  readonly ended: boolean;
  readonly status: RunStatus;
}

const ENDED = new Set<RunStatus>(['succeeded', 'failed', 'cancelled', 'fenced']);

/** The status is read before the lines: `ended` then means that no line can be missing. */
export const readRunLog = async (
  db: Db | Tx,
  wish: {
    readonly runId: number;
    readonly after?: number | undefined;
    readonly tail?: number | undefined;
    readonly limit: number;
  },
): Promise<RunLogPart> => {
  const run = await db
    .selectFrom('run')
    .select('status')
    .where('id', '=', wish.runId)
    .executeTakeFirst();
  if (run === undefined)
    throw new HostwrightError('not_found', { message: `there is no run ${wish.runId}` });
  const status = run.status as RunStatus;
  const after = wish.after ?? -1;
  const { rows } =
    wish.tail === undefined
      ? await sql<StoredLine>`
          select seq, at, stream, text from run_log where run_id = ${wish.runId} and seq > ${after}
          order by seq limit ${wish.limit}`.execute(db)
      : await sql<StoredLine>`
          select * from (select seq, at, stream, text from run_log where run_id = ${wish.runId} and seq > ${after}
            order by seq desc limit ${wish.tail}) t order by seq`.execute(db);
  const complete = wish.tail !== undefined || rows.length < wish.limit;
  return {
    lines: rows,
    after: rows.at(-1)?.seq ?? after,
    ended: complete && ENDED.has(status),
    status,
  };
};
