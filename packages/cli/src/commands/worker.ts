/** A worker alone: claims runs and hands them to jigs. Any number share one PostgreSQL. */
import { hostname } from 'node:os';
import { startBootKeeper } from '@hostwright/boot';
import { registerJigs, startWorker } from '@hostwright/engine';
import { dataDir } from '../data-dir.ts';
import type { Invocation } from '../invocation.ts';
import { readMasterKey } from '../master-key.ts';
import { findDatabaseUrl, openMigrated } from '../process-database.ts';
import { openLog } from '../process-log.ts';
import { sayReady, untilStopped } from '../up/until-stopped.ts';
import { startChores } from '../worker-chores.ts';
import { openJigs } from '../worker-jigs.ts';

export const run = async (call: Invocation): Promise<void> => {
  const folder = dataDir(call.text('data-dir'));
  const concurrency = call.number('concurrency', { least: 1, most: 10_000 });
  const stopping = untilStopped();
  const log = openLog('worker');
  const database = await openMigrated({
    url: findDatabaseUrl(folder),
    name: 'hostwright-worker',
    maxConnections: 20,
    onIdleError: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
  try {
    const master = await readMasterKey(folder);
    const carried = openJigs({ database, master, log, folder });
    const { jigs } = carried;
    await registerJigs(database.db, jigs);
    const worker = await startWorker({
      database,
      log,
      jigs,
      master,
      name: call.text('name') ?? `${hostname()}:${process.pid}`,
      ...(concurrency !== undefined && { concurrency }),
    });
    const chores = await startChores({ database, log, master, jigs });
    const keeper = startBootKeeper({ database, log });
    sayReady({ worker: worker.id });
    await stopping.asked;
    await keeper.stop();
    await chores.stop();
    await worker.stop();
    carried.close();
  } finally {
    await database.close();
  }
};
