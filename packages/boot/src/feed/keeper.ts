/**
 * The provisioner's tick: installations past their deadline become errors, erasures whose teardowns
 * have ended begin, database roles whose servers are behind are refreshed, daemons that ended are
 * started again, and what they logged goes into the flight recorder. Notifications make it fast, the
 * tick makes it right.
 */
import { listen, type Database, type Log } from '@hostwright/engine';
import { carryReleases } from '../action/carry-releases.ts';
import { sweepInstalls } from '../install/sweep.ts';
import { pruneBoots } from '../recorder/prune.ts';
import { followServers } from './follow-servers.ts';
import { refreshBehind } from './refresh-behind.ts';
import { superviseDaemons } from './supervise.ts';

const TICK_MS = 5000;
const DAEMON_TICK_MS = 1000;
const PRUNE_MS = 15 * 60_000;

export interface BootKeeper {
  stop(): Promise<void>;
}

/** One after the other, and while one waits for its turn no second one. */
const inTurn = (work: () => Promise<void>, log: Log) => {
  let working = Promise.resolve();
  let queued = false;
  return {
    ask: () => {
      if (queued) return;
      queued = true;
      working = working.then(async () => {
        queued = false;
        await work().catch((error: unknown) =>
          log.warn({ err: error }, 'the boot services could not be looked after; trying again'),
        );
      });
    },
    done: () => working,
  };
};

export const startBootKeeper = (options: {
  readonly database: Database;
  readonly log: Log;
}): BootKeeper => {
  const { database, log } = options;
  let pruned = performance.now();
  const behind = inTurn(async () => {
    await refreshBehind(database);
    await sweepInstalls(database.db);
    if (performance.now() - pruned <= PRUNE_MS) return;
    pruned = performance.now();
    await pruneBoots(database.db);
  }, log);
  // of its own: many erasures to begin must not keep servers behind, nor deadlines
  const releases = inTurn(() => carryReleases(database, log), log);
  const askBoth = () => {
    behind.ask();
    releases.ask();
  };
  const logs = followServers(database);
  const daemons = inTurn(async () => {
    await superviseDaemons(database);
    await logs.read();
  }, log);
  const listener = listen({
    url: database.url,
    channels: ['hostwright_boot'],
    onNotify: askBoth,
    onConnect: askBoth,
    log,
  });
  const ticking = [setInterval(askBoth, TICK_MS), setInterval(daemons.ask, DAEMON_TICK_MS)];
  return {
    stop: async () => {
      for (const timer of ticking) clearInterval(timer);
      await listener.stop();
      await Promise.all([behind.done(), releases.done(), daemons.done()]);
    },
  };
};
