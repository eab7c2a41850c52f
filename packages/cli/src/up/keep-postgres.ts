/**
 * Starts our PostgreSQL again, on the same port, when it dies: servers and workers wait for it and
 * go on. Only when it will not start any more is there nothing left to keep up.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres, type Postgres } from '@hostwright/postgres';

const TRIES = 40;
const PAUSE_MS = 500;

export interface KeepPostgres {
  readonly home: string;
  readonly signal: AbortSignal;
  tell(text: string): void;
  /** It will not start again. */
  onLost(error: unknown): void;
}

/** Returns how it is stopped. */
export const keepPostgres = (first: Postgres, options: KeepPostgres): (() => Promise<void>) => {
  let current = first;

  const startAgain = async (): Promise<void> => {
    for (let tries = 1; !options.signal.aborted; tries++) {
      try {
        current = await startPostgres({ home: options.home, port: first.port });
        return;
      } catch (error) {
        // orphaned backends hold the shared memory until they notice that their parent is gone
        if (tries >= TRIES) throw error;
        await sleep(PAUSE_MS, undefined, { signal: options.signal }).catch(() => {});
      }
    }
  };

  const keep = async (): Promise<void> => {
    for (;;) {
      await current.exited;
      if (options.signal.aborted) return;
      options.tell('PostgreSQL ended and is started again');
      await startAgain();
      if (options.signal.aborted) return;
    }
  };

  const kept = keep().catch((error: unknown) => options.onLost(error));
  return async () => {
    await current.stop();
    await kept;
    await current.stop();
  };
};
