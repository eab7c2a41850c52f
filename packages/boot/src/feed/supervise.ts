/**
 * Where no systemd looks after them: daemons of this machine that ended are started again, by a run
 * of their server role, so that everybody sees it. One that cannot be started is tried now and then.
 * Daemons outlive the program: one that a version with other folders started is started anew too.
 */
import { hostname } from 'node:os';
import { requestRefresh, requestRuns, transaction, type Database } from '@hostwright/engine';
import { sql } from 'kysely';
import { findDead } from '../daemon/daemon.ts';
import { isOfAnotherVersion } from './server-file.ts';

const tellCause = (name: string, dead: readonly string[], other: boolean): string => {
  if (dead.length > 0) return `${dead.join(', ')} of ${name} ended`;
  return other ? `${name} was started by another version of Hostwright` : `${name} does not run`;
};

interface Server {
  readonly name: string;
  readonly folder: string;
  readonly noderole_id: number;
  readonly state: string;
  readonly rested: boolean;
}

export const superviseDaemons = async (database: Database): Promise<void> => {
  const { rows } = await sql<Server>`
    select s.name, s.folder, w.id as noderole_id, w.state, w.state_since < now() - interval '30 seconds' as rested
    from boot_server s join noderole w on w.id = s.server_noderole_id and not w.removing
    where s.active and s.host = ${hostname()} and w.state in ('active', 'error')`.execute(
    database.db,
  );
  for (const server of rows) {
    const dead = await findDead(server.folder);
    const other = await isOfAnotherVersion(server.folder);
    // one that failed to start left no trace of itself: its noderole is in error all the same
    if (dead.length === 0 && !other && server.state === 'active') continue;
    if (server.state === 'error' && !server.rested) continue;
    const request = {
      noderoleIds: [server.noderole_id],
      cause: tellCause(server.name, dead, other),
    };
    await transaction(database.db, async (tx) => {
      if (server.state === 'active') await requestRefresh(tx, request);
      else await requestRuns(tx, { ...request, actor: 'the boot keeper' });
    });
  }
};
