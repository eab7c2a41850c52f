/** Fleets to measure on: nodes alive, a chain of roles on each, as a commit leaves them. */
import { fileURLToPath } from 'node:url';
import { importBarclamp, type Db } from '@hostwright/engine';
import { sql } from 'kysely';

export interface Fleet {
  readonly nodes: number;
  readonly roles: number;
  readonly jig?: string;
  readonly data?: object;
}

/** Roles of which each requires the one before, on the same node. Their ids, in order. */
export const seedRoleChain = async (
  db: Db,
  count: number,
  fleet: Omit<Fleet, 'nodes' | 'roles'> = {},
): Promise<number[]> => {
  const jig = fleet.jig ?? 'noop';
  await sql`insert into jig (name) values (${jig}) on conflict do nothing`.execute(db);
  await sql`insert into barclamp (name, version, source_path, content_hash) values ('bench', '1', '/', 'x') on conflict do nothing`.execute(
    db,
  );
  const { rows } = await sql<{ id: number }>`
    insert into role (barclamp_id, name, jig, data, implicit) select b.id, 'step-' || g, ${jig}::text, ${JSON.stringify(fleet.data ?? {})}::jsonb, true
    from barclamp b, generate_series(1, ${count}::int) g where b.name = 'bench' order by g returning id`.execute(
    db,
  );
  await sql`
    insert into role_require (role_id, requires, kind)
    select r.id, 'step-' || g, 'hard' from generate_series(1, ${count - 1}::int) g join role r on r.name = 'step-' || (g + 1)`.execute(
    db,
  );
  return rows.map((row) => row.id).toSorted((a, b) => a - b);
};

/** As `up` does: what every machine gets when it appears. */
export const importCore = async (db: Db): Promise<void> => {
  await sql`insert into jig (name) values ('noop') on conflict do nothing`.execute(db);
  const folder = fileURLToPath(new URL('../barclamps/core', import.meta.url));
  await importBarclamp(db, { folder, actor: 'bench' });
};

export const seedNodes = async (db: Db, count: number): Promise<void> => {
  await sql`
    insert into node (name, alive, alive_reason, deployment_id, labels)
    select 'n' || g, true, 'bench', d.id, jsonb_build_object('rack', 'r' || g % 100, 'site', 's' || g % 3)
    from generate_series(1, ${count}::int) g, deployment d where d.system`.execute(db);
};

export const seedFleet = async (db: Db, fleet: Fleet): Promise<void> => {
  await seedRoleChain(db, fleet.roles, fleet);
  await seedNodes(db, fleet.nodes);
  await sql`
    insert into noderole (deployment_id, role_id, node_id, lane, state, cohort, pending, cause)
    select d.id, r.id, n.id, 'host', case when r.k = 1 then 'todo' else 'blocked' end, r.k - 1, case when r.k = 1 then 0 else 1 end, 'commit 1'
    from deployment d, node n, (select id, row_number() over (order by id) as k from role where name like 'step-%') r
    where d.system order by n.id, r.k`.execute(db);
  await sql`
    insert into edge (parent_id, child_id)
    select p.id, c.id from noderole c join noderole p on p.node_id = c.node_id and p.cohort = c.cohort - 1`.execute(
    db,
  );
  await sql`analyze`.execute(db);
};

/** As if all had run long ago. */
export const settleFleet = async (db: Db): Promise<void> => {
  await sql`alter table noderole disable trigger user`.execute(db);
  await sql`update noderole set state = 'active', pending = 0`.execute(db);
  await sql`alter table noderole enable trigger user`.execute(db);
  await sql`delete from unsettled`.execute(db);
  await sql`update node_lane set ready = 0, busy = false`.execute(db);
  await sql`vacuum analyze noderole`.execute(db);
};

/** Resolves when every noderole is active; the seconds that took. */
export const untilActive = async (db: Db, count: number, look: () => number): Promise<number> => {
  const started = performance.now();
  while (look() < count) await new Promise((resolve) => setTimeout(resolve, 20));
  const seconds = (performance.now() - started) / 1000;
  const { rows } = await sql<{
    n: number;
  }>`select count(*) as n from noderole where state <> 'active'`.execute(db);
  if (rows[0]?.n !== 0) throw new Error(`${rows[0]?.n} noderoles are not active`);
  return seconds;
};

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? Number.NaN;
