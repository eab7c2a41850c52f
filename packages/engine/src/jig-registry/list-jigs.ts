import { HostwrightError, type JsonObject } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';

export interface JigView {
  readonly name: string;
  readonly description: string;
  readonly active: boolean;
  readonly config: JsonObject;
  readonly roles: number;
  readonly liveRuns: number;
  /** Nodes it has still to be told of, since it was switched on. */
  readonly owed: number;
  readonly revision: number;
}

const COLUMNS = sql`j.name, j.description, j.active, j.config, j.revision,
  (select count(*)::int from role r where r.jig = j.name and r.removed_at is null) as roles,
  (select count(*)::int from run x where x.jig = j.name and x.status in ('running', 'waiting', 'cancelling')) as "liveRuns",
  (select count(*)::int from jig_backfill b join node n on n.id > b.next_node_id and n.id <= b.last_node_id and n.deleted_at is null
   where b.jig = j.name and b.done_at is null) as owed`;

export const listJigs = async (db: Db | Tx): Promise<JigView[]> =>
  (await sql<JigView>`select ${COLUMNS} from jig j order by j.name`.execute(db)).rows;

export const readJigView = async (db: Db | Tx, name: string): Promise<JigView> => {
  const { rows } = await sql<JigView>`select ${COLUMNS} from jig j where j.name = ${name}`.execute(
    db,
  );
  if (rows[0] === undefined)
    throw new HostwrightError('not_found', { message: `there is no jig ${name.slice(0, 255)}` });
  return rows[0];
};
