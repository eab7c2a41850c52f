/** Which DHCP and DNS servers are fed, and of how many nodes each has proved to hold the present version. */
import type { Db } from '@hostwright/engine';
import { sql } from 'kysely';

export interface ServerView {
  readonly id: number;
  readonly name: string;
  readonly kind: 'dnsmasq' | 'kea' | 'bind';
  readonly nodeId: number | null;
  readonly noderoleId: number | null;
  readonly active: boolean;
  readonly current: number;
  readonly behind: number;
  readonly refused: number;
  readonly error: string | null;
  readonly fedAt: Date | null;
}

export const listBootServers = async (db: Db): Promise<readonly ServerView[]> => {
  const { rows } = await sql<ServerView>`
    select s.id, s.name, s.kind, s.node_id as "nodeId", s.noderole_id as "noderoleId", s.active, s.error, s.fed_at as "fedAt",
      c.current, c.behind, c.refused
    from boot_server s cross join lateral (
      select (b.nodes - q.behind)::int as current, q.behind::int, a.refused::int
      from (select count(*) as nodes from node_boot) b,
        (select count(*) as behind from boot_behind where server_id = s.id) q,
        (select count(*) as refused from boot_ack where server_id = s.id and error is not null) a) c
    order by s.name`.execute(db);
  return rows;
};
