/**
 * What a worker does besides runs: tells hooks, webhooks and jigs of events, judges who is alive,
 * and drops what is older than the policy says.
 */
import {
  cleanUp,
  judgePresence,
  startDelivery,
  type Database,
  type Jig,
  type Log,
  type MasterKey,
} from '@hostwright/engine';

const JUDGE_EVERY_MS = 5000;
const CLEAN_EVERY_MS = 15 * 60_000;

export interface Chores {
  stop(): Promise<void>;
}

export const startChores = async (options: {
  readonly database: Database;
  readonly log: Log;
  readonly master: MasterKey;
  readonly jigs: readonly Jig[];
}): Promise<Chores> => {
  const { database, log } = options;
  const delivery = await startDelivery(options);
  let judging: Promise<unknown> = Promise.resolve();
  const judge = setInterval(() => {
    judging = judging
      .then(() => judgePresence(database.db))
      .catch((error: unknown) => log.warn({ err: error }, 'could not judge who is alive'));
  }, JUDGE_EVERY_MS);
  const stopping = new AbortController();
  let cleaning: Promise<unknown> = Promise.resolve();
  const clean = setInterval(() => {
    cleaning = cleaning
      .then(() => cleanUp(database.db, { signal: stopping.signal }))
      .catch((error: unknown) => log.warn({ err: error }, 'could not drop what is old'));
  }, CLEAN_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(judge);
      clearInterval(clean);
      stopping.abort();
      await Promise.all([judging, cleaning]);
      await delivery.stop();
    },
  };
};
