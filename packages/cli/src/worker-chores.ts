/** What a worker does besides runs: tells hooks, webhooks and jigs of events, and judges who is alive. */
import {
  judgePresence,
  startDelivery,
  type Database,
  type Jig,
  type Log,
  type MasterKey,
} from '@hostwright/engine';

const JUDGE_EVERY_MS = 5000;

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
  return {
    stop: async () => {
      clearInterval(judge);
      await judging;
      await delivery.stop();
    },
  };
};
