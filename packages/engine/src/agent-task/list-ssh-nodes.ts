import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import type { SshHammer } from './read-way.ts';

export interface SshNode {
  readonly id: number;
  readonly name: string;
  readonly hammer: SshHammer;
}

/** Nodes without an agent that have an ssh hammer: nobody says hello for them but us. */
export const listSshNodes = async (db: Db): Promise<readonly SshNode[]> => {
  const found = await sql<SshNode>`
    select n.id, n.name, json_build_object('id', h.id, 'revision', h.revision, 'endpoint', h.endpoint,
      'username', h.username, 'secret', h.secret, 'config', h.config) as hammer
    from hammer h join node n on n.id = h.node_id
    where h.kind = 'ssh' and n.deleted_at is null
      and not exists (select 1 from node_token t where t.node_id = n.id)
    order by n.id`.execute(db);
  return found.rows;
};
