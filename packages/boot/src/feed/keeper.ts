/**
 * The provisioner's tick: installations past their deadline become errors, and database roles whose
 * servers are behind are refreshed. Notifications make it fast, the tick makes it right.
 */
import { listen, requestRefresh, transaction, type Database, type Log } from '@hostwright/engine';
import { sql } from 'kysely';
import { sweepInstalls } from '../install/sweep.ts';
import { pruneBoots } from '../recorder/prune.ts';

const TICK_MS = 5000;
const PRUNE_MS = 15 * 60_000;

const refreshBehind = async (database: Database): Promise<void> => {
  const { rows } = await sql<{ noderole_id: number }>`
    select s.noderole_id from boot_server s join noderole w on w.id = s.noderole_id and w.state = 'active'
    where s.active and exists (
      select 1 from node_boot b left join boot_ack a on a.server_id = s.id and a.node_id = b.node_id
      where a.version is null or a.version < b.version)`.execute(database.db);
  if (rows.length === 0) return;
  await transaction(database.db, (tx) =>
    requestRefresh(tx, {
      noderoleIds: rows.map((row) => row.noderole_id),
      cause: 'nodes or addresses changed',
    }),
  );
};

export interface BootKeeper {
  stop(): Promise<void>;
}

export const startBootKeeper = (options: {
  readonly database: Database;
  readonly log: Log;
}): BootKeeper => {
  const { database, log } = options;
  let working = Promise.resolve();
  let queued = false;
  let pruned = performance.now();
  const look = () => {
    if (queued) return;
    queued = true;
    working = working.then(async () => {
      queued = false;
      try {
        await sweepInstalls(database.db);
        if (performance.now() - pruned > PRUNE_MS) {
          pruned = performance.now();
          await pruneBoots(database.db);
        }
        await refreshBehind(database);
      } catch (error) {
        log.warn({ err: error }, 'the boot services could not be looked after; trying again');
      }
    });
  };
  const listener = listen({
    url: database.url,
    channels: ['hostwright_boot'],
    onNotify: look,
    onConnect: look,
    log,
  });
  const ticking = setInterval(look, TICK_MS);
  return {
    stop: async () => {
      clearInterval(ticking);
      await listener.stop();
      await working;
    },
  };
};
