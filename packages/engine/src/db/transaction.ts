/**
 * One transaction, tried again when PostgreSQL says that it lost a race it may win next time
 * (deadlock, serialisation). The body must therefore have no effect outside the database.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { executeAudited } from './audited.ts';
import type { Db, Tx } from './open.ts';

const LOST_RACES = new Set(['40001', '40P01']);
const TRIES = 6;

export const sqlState = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

export const transaction = async <Result>(
  db: Db,
  body: (tx: Tx) => Promise<Result>,
): Promise<Result> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await executeAudited(db, body);
    } catch (error) {
      if (attempt >= TRIES || !LOST_RACES.has(sqlState(error) ?? '')) throw error;
      await sleep(5 * 2 ** attempt * (0.5 + Math.random()));
    }
  }
};
