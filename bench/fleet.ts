/** Fleets to measure on: nodes alive, a chain of roles on each, as a commit leaves them. */
import type { Db } from '@hostwright/engine';
import { sql } from 'kysely';

export interface Fleet {
  readonly nodes: number;
  readonly roles: number;
  readonly jig?: string;
  readonly data?: object;
}

export const seedFleet = async (db: Db, fleet: Fleet): Promise<void> => {
  const jig = fleet.jig ?? 'noop';
  await sql`insert into jig (name) values (${jig}) on conflict do nothing`.execute(db);
  await sql`insert into barclamp (name, version, source_path, content_hash) values ('bench', '1', '/', 'x') on conflict do nothing`.execute(
    db,
  );
  await sql`
    insert into role (barclamp_id, name, jig, data) select b.id, ${jig} || '-' || g, ${jig}, ${JSON.stringify(fleet.data ?? {})}::jsonb
    from barclamp b, generate_series(1, ${fleet.roles}::int) g where b.name = 'bench'`.execute(db);
  await sql`
    insert into node (name, alive, alive_reason, deployment_id)
    select 'n' || g, true, 'bench', d.id from generate_series(1, ${fleet.nodes}::int) g, deployment d where d.system`.execute(
    db,
  );
  await sql`
    insert into noderole (deployment_id, role_id, node_id, lane, state, cohort, pending, cause)
    select d.id, r.id, n.id, 'host', case when r.k = 1 then 'todo' else 'blocked' end, r.k - 1, case when r.k = 1 then 0 else 1 end, 'commit 1'
    from deployment d, node n, (select id, row_number() over (order by id) as k from role) r
    where d.system order by n.id, r.k`.execute(db);
  await sql`
    insert into edge (parent_id, child_id)
    select p.id, c.id from noderole c join noderole p on p.node_id = c.node_id and p.cohort = c.cohort - 1`.execute(
    db,
  );
  await sql`analyze`.execute(db);
};

/** Resolves when every noderole is active; the seconds that took. */
export const untilActive = async (db: Db, count: number, look: () => number): Promise<number> => {
  const started = performance.now();
  while (look() < count) await new Promise((resolve) => setTimeout(resolve, 20));
  const { rows } = await sql<{
    n: number;
  }>`select count(*) as n from noderole where state <> 'active'`.execute(db);
  if (rows[0]?.n !== 0) throw new Error(`${rows[0]?.n} noderoles are not active`);
  return (performance.now() - started) / 1000;
};
