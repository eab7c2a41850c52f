/**
 * One feeder of a server at a time: of two, the one that read first may write last, and the server
 * would hold the older data while the newer is acknowledged. The lock goes with the connection, so a
 * worker that dies leaves none.
 */
import { HostwrightError } from '@hostwright/core';
import { PAIR_LOCKS, sqlState, type Db } from '@hostwright/engine';
import { sql } from 'kysely';

const LOCK_NOT_AVAILABLE = '55P03';

/** All of the work goes over the connection that is given to it: feeders cannot use up a pool between them. */
export const asOnlyFeeder = <Result>(
  db: Db,
  options: { readonly serverId: number; readonly waitSeconds?: number },
  work: (db: Db) => Promise<Result>,
): Promise<Result> =>
  db.connection().execute(async (own) => {
    try {
      await own.transaction().execute(async (tx) => {
        await sql`select set_config('lock_timeout', ${`${options.waitSeconds ?? 30}s`}, true)`.execute(
          tx,
        );
        await sql`select pg_advisory_lock(${PAIR_LOCKS.feed}::int, ${options.serverId}::int)`.execute(
          tx,
        );
      });
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
      throw new HostwrightError('unavailable', {
        message: 'another worker feeds this server, and has not come to an end',
        cause: error,
      });
    }
    try {
      return await work(own);
    } finally {
      // a connection that was lost has no lock any more
      await sql`select pg_advisory_unlock(${PAIR_LOCKS.feed}::int, ${options.serverId}::int)`
        .execute(own)
        .catch(() => {});
    }
  });
