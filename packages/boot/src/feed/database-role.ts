/**
 * A database role: brings every server of its kinds up to date, all of them at once. One that is
 * dead keeps nothing from the others; the run then fails and its reason names the dead one.
 */
import { hostname } from 'node:os';
import type { Outcome, RunHandle } from '@hostwright/engine';
import { feedServer } from './feed-server.ts';
import { openDriver } from './server-file.ts';
import type { ServerDeps, ServerKind, ServerTransition } from './server-role.ts';

interface Server {
  readonly id: number;
  readonly name: string;
  readonly folder: string;
  readonly host: string;
}

const feedOne = async (deps: ServerDeps, handle: RunHandle, server: Server): Promise<void> => {
  const { db } = deps.database;
  if (server.host !== '' && server.host !== hostname())
    throw new Error(`it runs on ${server.host}, this worker on ${hostname()}`);
  const opened = await openDriver(server.folder);
  try {
    const report = await feedServer(db, { serverId: server.id, driver: opened.driver });
    handle.log(`${server.name}: ${report.applied} nodes brought up to date`);
    for (const { nodeId, error } of report.refused)
      handle.log(`${server.name}: node ${nodeId}: ${error}`, 'err');
  } finally {
    await opened.close();
  }
};

export const databaseRole =
  (deps: ServerDeps, kinds: readonly ServerKind['kind'][]): ServerTransition =>
  async (handle): Promise<Outcome> => {
    const { db } = deps.database;
    const servers = await db
      .updateTable('boot_server')
      .set({ noderole_id: handle.kind === 'teardown' ? null : handle.noderoleId })
      .where('kind', 'in', kinds)
      .where('active', '=', true)
      .where('folder', '<>', '')
      .where('server_noderole_id', 'is not', null)
      .returning(['id', 'name', 'folder', 'host'])
      .execute();
    if (handle.kind === 'teardown') return { kind: 'succeeded' };
    if (servers.length === 0) handle.log('no server runs that could be kept current');
    const fed = await Promise.allSettled(servers.map((server) => feedOne(deps, handle, server)));
    const failed = fed.flatMap((one, index) => {
      if (one.status === 'fulfilled') return [];
      const why = one.reason instanceof Error ? one.reason.message : String(one.reason);
      return [`${servers[index]?.name ?? ''}: ${why}`];
    });
    if (failed.length === 0) return { kind: 'succeeded' };
    const current = servers.length - failed.length;
    return {
      kind: 'failed',
      reason: `${failed.join('; ')}${current === 0 ? '' : ` (${current} of ${servers.length} servers are current)`}`,
      retryable: true,
      blame: 'us',
    };
  };
