/** Rows for tests of the annealer, written straight: barclamp, roles, nodes, noderoles with edges and right counters. */
import type { Db } from '@hostwright/engine';
import { sql } from 'kysely';

export interface SeedRole {
  readonly name: string;
  readonly jig?: string;
  readonly lane?: 'host' | 'service';
  readonly data?: Record<string, unknown>;
  readonly destructive?: boolean;
  readonly discovery?: boolean;
  readonly reboots?: boolean;
  readonly powersave?: boolean;
  readonly teardown?: boolean;
  readonly retryLimit?: number;
  readonly retryBackoffSeconds?: number;
  readonly deadlineSeconds?: number;
  readonly priority?: number;
  /** Attributes of its own: a change of one means a run. */
  readonly inputs?: readonly string[];
}

export const seedRoles = async (
  db: Db,
  roles: readonly SeedRole[],
): Promise<Map<string, number>> => {
  await sql`insert into jig (name) values ('noop'), ('test'), ('role-provided') on conflict do nothing`.execute(
    db,
  );
  for (const role of roles)
    if (role.jig)
      await sql`insert into jig (name) values (${role.jig}) on conflict do nothing`.execute(db);
  await sql`insert into barclamp (name, version, source_path, content_hash) values ('seed', '1', '/', 'x') on conflict do nothing`.execute(
    db,
  );
  const ids = new Map<string, number>();
  for (const role of roles) {
    const { rows } = await sql<{ id: number }>`
      insert into role (barclamp_id, name, jig, lane, data, destructive, discovery, reboots, powersave, teardown, retry_limit, retry_backoff_seconds, deadline_seconds, priority)
      select b.id, ${role.name}, ${role.jig ?? 'noop'}, ${role.lane ?? 'host'}, ${JSON.stringify(role.data ?? {})}::jsonb, ${role.destructive ?? false},
        ${role.discovery ?? false}, ${role.reboots ?? false}, ${role.powersave ?? false}, ${role.teardown ?? false},
        ${role.retryLimit ?? 0}, ${role.retryBackoffSeconds ?? 0}, ${role.deadlineSeconds ?? 60}, ${role.priority ?? 0}
      from barclamp b where b.name = 'seed' returning id`.execute(db);
    ids.set(role.name, rows[0]?.id ?? 0);
    for (const input of role.inputs ?? [])
      await sql`
        insert into attrib (barclamp_id, role_id, name, path)
        select barclamp_id, id, ${input}, ${input} from role where id = ${rows[0]?.id ?? 0}`.execute(
        db,
      );
  }
  return ids;
};

export const seedNodes = async (db: Db, count: number, prefix = 'n'): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    insert into node (name, alive, alive_reason, deployment_id)
    select ${prefix} || g, true, 'test', (select id from deployment where system) from generate_series(1, ${count}::int) g
    returning id`.execute(db);
  return rows.map((row) => row.id).toSorted((a, b) => a - b);
};

export interface SeedNoderole {
  readonly role: number;
  readonly node: number;
  readonly parents?: readonly number[];
  readonly softParents?: readonly number[];
  readonly snapshot?: number;
  readonly priority?: number;
  readonly data?: Record<string, unknown>;
  readonly state?: 'active' | 'error' | 'proposed';
}

/** One noderole, after its parents. Returns its id. */
export const seedNoderole = async (db: Db, noderole: SeedNoderole): Promise<number> => {
  const parents = [...(noderole.parents ?? [])];
  const { rows } = await sql<{ id: number }>`
    insert into noderole (deployment_id, role_id, node_id, lane, state, cohort, priority, pending, snapshot_id, data, cause)
    select d.id, r.id, ${noderole.node}::bigint, r.lane,
      coalesce(${noderole.state ?? null}::text, case when p.pending > 0 then 'blocked' else 'todo' end), p.cohort, ${noderole.priority ?? 0}::int, p.pending, ${noderole.snapshot ?? null}::bigint,
      ${JSON.stringify(noderole.data ?? {})}::jsonb, 'commit 1'
    from role r, deployment d, (
      select count(*) filter (where state <> 'active')::int as pending, coalesce(max(cohort) + 1, 0) as cohort from noderole where id = any(${parents}::bigint[])
    ) p
    where r.id = ${noderole.role} and d.system returning id`.execute(db);
  const id = rows[0]?.id ?? 0;
  await sql`
    insert into edge (parent_id, child_id, soft)
    select unnest(${parents}::bigint[]), ${id}::bigint, false union all select unnest(${[...(noderole.softParents ?? [])]}::bigint[]), ${id}::bigint, true`.execute(
    db,
  );
  return id;
};

/** On each node a chain of all roles, in order. Set-based, for large fleets. Returns how many. */
export const seedChains = async (
  db: Db,
  roles: readonly number[],
  nodes: readonly number[],
): Promise<number> => {
  await sql`
    insert into noderole (deployment_id, role_id, node_id, lane, state, cohort, pending, cause)
    select d.id, r.id, n.id, 'host', case when r.k = 1 then 'todo' else 'blocked' end, r.k - 1, case when r.k = 1 then 0 else 1 end, 'commit 1'
    from deployment d, unnest(${[...nodes]}::bigint[]) as n(id), unnest(${[...roles]}::bigint[]) with ordinality as r(id, k)
    where d.system order by n.id, r.k`.execute(db);
  await sql`
    insert into edge (parent_id, child_id)
    select p.id, c.id from noderole c join noderole p on p.node_id = c.node_id and p.cohort = c.cohort - 1`.execute(
    db,
  );
  return roles.length * nodes.length;
};

export const readState = async (db: Db, id: number): Promise<string | undefined> =>
  (await sql<{ state: string }>`select state from noderole where id = ${id}`.execute(db)).rows[0]
    ?.state;
