/**
 * Everything the layers of some noderoles are made of, in five statements however many they are.
 * Of facts only the wanted paths are read: whole inventories of 250 nodes would be megabytes.
 */
import type { Catalogue, JsonObject, JsonValue } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { roleInputs } from './role-inputs.ts';

export interface NoderoleRow {
  readonly id: number;
  readonly roleId: number;
  readonly nodeId: number;
  readonly node: string;
  readonly deploymentId: number;
  readonly data: JsonObject | null;
  readonly wall: JsonObject | null;
  readonly hint: JsonObject | null;
}

export interface DeploymentRow {
  readonly id: number;
  readonly name: string;
  readonly parentId: number | null;
  readonly data: JsonObject | null;
}

export interface LinkRow {
  readonly consumerId: number;
  readonly attrib: string;
  readonly providerId: number;
}

/** Read a proposal as if it were committed. */
export interface AsProposed {
  readonly deploymentId: number;
  readonly revision: number;
}

export interface Rows {
  readonly noderoles: ReadonlyMap<number, NoderoleRow>;
  readonly links: ReadonlyMap<number, readonly LinkRow[]>;
  readonly deployments: ReadonlyMap<number, DeploymentRow>;
  /** Data of deployment roles, by `deployment@role`. */
  readonly deploymentRoles: ReadonlyMap<string, JsonObject>;
  /** Wanted facts, by node id, then path. */
  readonly facts: ReadonlyMap<number, Readonly<Record<string, JsonValue>>>;
}

interface LoadOptions {
  readonly noderoleIds: readonly number[];
  readonly proposed?: AsProposed | undefined;
  /** Rows of exactly these noderoles, read already. */
  readonly known?: readonly NoderoleRow[] | undefined;
}

const readNoderoles = async (db: Db | Tx, ids: readonly number[], proposed?: AsProposed) => {
  const data =
    proposed === undefined
      ? sql`w.data`
      : sql`case when w.deployment_id = ${proposed.deploymentId} then coalesce((
          select b.data from binding b where b.deployment_id = w.deployment_id and b.role_id = w.role_id and b.node_id = w.node_id
            and b.added_revision <= ${proposed.revision} and (b.removed_revision is null or b.removed_revision > ${proposed.revision})), w.data) else w.data end`;
  const { rows } = await sql<NoderoleRow>`
    select w.id, w.role_id as "roleId", w.node_id as "nodeId", n.name as node, w.deployment_id as "deploymentId",
           nullif(${data}, '{}') as data, nullif(w.wall, '{}') as wall, nullif(n.hint, '{}') as hint
    from noderole w join node n on n.id = w.node_id where w.id = any(${[...ids]}::bigint[])`.execute(
    db,
  );
  return rows;
};

const readLinks = async (db: Db | Tx, ids: readonly number[]) => {
  const { rows } = await sql<LinkRow>`
    select consumer_id as "consumerId", attrib, provider_id as "providerId" from attrib_link
    where consumer_id = any(${[...ids]}::bigint[])`.execute(db);
  return rows;
};

/**
 * The noderoles, and those they read attributes from, in rounds: most batches need one, and a
 * recursive query made the database read all hundred thousand noderoles (34 ms instead of 1).
 */
const readWithProviders = async (db: Db | Tx, catalogue: Catalogue, options: LoadOptions) => {
  const noderoles = new Map<number, NoderoleRow>();
  const links = new Map<number, LinkRow[]>();
  let known = options.known;
  let next: readonly number[] = options.noderoleIds;
  while (next.length > 0) {
    const rows = known ?? (await readNoderoles(db, next, options.proposed));
    known = undefined;
    for (const row of rows) noderoles.set(row.id, row);
    const consumers = rows.filter((row) => {
      const role = catalogue.byId.get(row.roleId);
      return role !== undefined && roleInputs(catalogue, role).fromAncestors.length > 0;
    });
    const found =
      consumers.length === 0
        ? []
        : await readLinks(
            db,
            consumers.map((row) => row.id),
          );
    for (const link of found) {
      const list = links.get(link.consumerId);
      if (list === undefined) links.set(link.consumerId, [link]);
      else list.push(link);
    }
    next = [...new Set(found.map((link) => link.providerId))].filter((id) => !noderoles.has(id));
  }
  return { noderoles, links };
};

/** The revision whose content is in force: the last that was committed, recalled or not. */
const inForce = (proposed?: AsProposed) => sql`
  case when d.id = ${proposed?.deploymentId ?? 0}::bigint then ${proposed?.revision ?? 0}::int
    else coalesce((select max(s.revision) from snapshot s where s.deployment_id = d.id and s.state <> 'proposed'), 0) end`;

const readDeployments = async (db: Db | Tx, ids: readonly number[], proposed?: AsProposed) => {
  const { rows } = await sql<DeploymentRow & { revision: number }>`
    with recursive up as (
      select id, name, parent_id from deployment where id = any(${[...ids]}::bigint[])
      union
      select d.id, d.name, d.parent_id from deployment d join up on d.id = up.parent_id
    ), at as (select d.*, ${inForce(proposed)} as revision from up d)
    select d.id, d.name, d.parent_id as "parentId", d.revision, nullif(x.data, '{}') as data
    from at d left join deployment_data x on x.deployment_id = d.id
      and x.added_revision <= d.revision and (x.removed_revision is null or x.removed_revision > d.revision)`.execute(
    db,
  );
  return rows;
};

const readDeploymentRoles = async (
  db: Db | Tx,
  deployments: readonly { readonly id: number; readonly revision: number }[],
) => {
  const { rows } = await sql<{ deployment: number; role: number; data: JsonObject }>`
    select x.deployment_id as deployment, x.role_id as role, x.data
    from unnest(${deployments.map((row) => row.id)}::bigint[], ${deployments.map((row) => row.revision)}::int[]) as d(id, revision)
    join deployment_role x on x.deployment_id = d.id and x.data <> '{}'
      and x.added_revision <= d.revision and (x.removed_revision is null or x.removed_revision > d.revision)`.execute(
    db,
  );
  return new Map(rows.map((row) => [`${row.deployment}@${row.role}`, row.data]));
};

const readFacts = async (
  db: Db | Tx,
  nodeIds: readonly number[],
  paths: readonly string[],
): Promise<Map<number, Record<string, JsonValue>>> => {
  if (nodeIds.length === 0 || paths.length === 0) return new Map();
  const { rows } = await sql<{ id: number; facts: Record<string, JsonValue> }>`
    select n.id, jsonb_object_agg(p.path, n.discovery #> string_to_array(p.path, '/')) as facts
    from node n cross join unnest(${[...paths]}::text[]) as p(path)
    where n.id = any(${[...nodeIds]}::bigint[]) and n.discovery #> string_to_array(p.path, '/') is not null
    group by n.id`.execute(db);
  return new Map(rows.map((row) => [row.id, row.facts]));
};

export const loadRows = async (
  db: Db | Tx,
  catalogue: Catalogue,
  options: LoadOptions,
): Promise<Rows> => {
  const { noderoles, links } = await readWithProviders(db, catalogue, options);
  return completeRows(db, catalogue, { noderoles, links, proposed: options.proposed });
};

/** What the layers of these noderoles need beside themselves; the noderoles may be imagined ones. */
export const completeRows = async (
  db: Db | Tx,
  catalogue: Catalogue,
  options: Pick<Rows, 'noderoles' | 'links'> & { readonly proposed?: AsProposed | undefined },
): Promise<Rows> => {
  const { noderoles, links } = options;
  const all = [...noderoles.values()];
  const roles = [...new Set(all.map((row) => row.roleId))].flatMap(
    (id) => catalogue.byId.get(id) ?? [],
  );
  const deployments = await readDeployments(
    db,
    [...new Set(all.map((row) => row.deploymentId))],
    options.proposed,
  );
  const factRoles = new Map(
    roles.map((role) => [role.id, roleInputs(catalogue, role).facts.map((a) => a.path.join('/'))]),
  );
  return {
    noderoles,
    links,
    deployments: new Map(deployments.map((row) => [row.id, row])),
    deploymentRoles: await readDeploymentRoles(db, deployments),
    facts: await readFacts(
      db,
      [
        ...new Set(
          all
            .filter((row) => (factRoles.get(row.roleId) ?? []).length > 0)
            .map((row) => row.nodeId),
        ),
      ],
      [...new Set([...factRoles.values()].flat())],
    ),
  };
};
