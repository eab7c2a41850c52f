/**
 * Makes nodes, one or ten thousand, all or none. Discovery roles are bound in the same
 * transaction, so that a node is never seen without them.
 */
import { HostwrightError, type JsonObject, type Refusal } from '@hostwright/core';
import { sql } from 'kysely';
import { bindSystemRoles } from '../binding/bind-system-roles.ts';
import type { Db, Tx } from '../db/open.ts';
import { sqlState, transaction } from '../db/transaction.ts';
import { checkNode, normalMac } from './check.ts';
import { identityKeys, lockIdentity, usableSerial, usableUuid } from './identity.ts';
import { readNodes, type NodeRecord } from './find.ts';

export interface NewNode {
  /** Default: d and the first MAC address. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly deployment?: string | number | undefined;
  readonly labels?: JsonObject | undefined;
  readonly hint?: JsonObject | undefined;
  readonly macs?: readonly string[] | undefined;
  readonly systemUuid?: string | undefined;
  readonly serial?: string | undefined;
  readonly bootenv?: string | undefined;
  readonly available?: boolean | undefined;
  readonly admin?: boolean | undefined;
}

export type CreatedNodes =
  | { readonly ok: true; readonly nodes: readonly NodeRecord[] }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };
export type CreatedNode =
  | { readonly ok: true; readonly node: NodeRecord }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

const MAX_AT_ONCE = 10_000;

const nameOf = (node: NewNode): string | undefined => {
  const mac = node.macs?.map(normalMac).find((candidate) => candidate !== undefined);
  return node.name ?? (mac === undefined ? undefined : `d${mac.replaceAll(':', '-')}`);
};

export const createNode = async (
  db: Db,
  options: NewNode & { readonly actor: string },
): Promise<CreatedNode> => {
  const { actor, ...node } = options;
  const created = await createNodes(db, { nodes: [node], actor });
  if (!created.ok)
    return {
      ok: false,
      refusals: created.refusals.map((refusal) => ({
        ...refusal,
        path: refusal.path.replace(/^0\/?/, ''),
      })),
    };
  const first = created.nodes[0];
  if (first === undefined) throw new HostwrightError('internal');
  return { ok: true, node: first };
};

export const createNodes = async (
  db: Db,
  options: { readonly nodes: readonly NewNode[]; readonly actor: string },
): Promise<CreatedNodes> => {
  const refusals = checkAll(options.nodes);
  if (refusals.length > 0) return { ok: false, refusals };
  try {
    return await transaction(db, (tx) => insertNodes(tx, options));
  } catch (error) {
    // Another transaction took a name between our look and our insert: look again, and say whose.
    if (sqlState(error) === '23505') return transaction(db, (tx) => insertNodes(tx, options));
    throw error;
  }
};

const checkAll = (nodes: readonly NewNode[]): Refusal[] => {
  if (nodes.length > MAX_AT_ONCE)
    return [{ code: 'too_large', path: 'nodes', message: `at most ${MAX_AT_ONCE} nodes at once` }];
  const names = new Map<string, number>();
  return nodes.flatMap((node, index) => {
    const found = checkNode(node, `${index}`);
    const name = nameOf(node);
    if (name === undefined)
      return [
        ...found,
        { code: 'bad_input', path: `${index}/name`, message: 'give a name or a MAC address' },
      ];
    const earlier = names.get(name);
    if (earlier !== undefined)
      return [
        ...found,
        {
          code: 'name_taken',
          path: `${index}/name`,
          message: `${name} is also the name of number ${earlier}`,
        },
      ];
    names.set(name, index);
    return found;
  });
};

/** In the caller's transaction; `nodes` have been checked. */
export const insertNodes = async (
  tx: Tx,
  options: { readonly nodes: readonly NewNode[]; readonly actor: string },
): Promise<CreatedNodes> => {
  const rows = options.nodes.map((node) => ({
    name: nameOf(node) ?? '',
    description: node.description ?? '',
    deployment: node.deployment === undefined ? null : String(node.deployment),
    labels: node.labels ?? {},
    hint: node.hint ?? {},
    macs: [...new Set((node.macs ?? []).flatMap((mac) => normalMac(mac) ?? []))],
    system_uuid: usableUuid(node.systemUuid) ?? null,
    serial: usableSerial(node.serial) ?? null,
    bootenv: node.bootenv ?? 'local',
    available: node.available ?? true,
    admin: node.admin ?? false,
  }));
  await lockIdentity(tx, rows.flatMap(identityKeys));
  const refusals = await findTaken(tx, rows);
  if (refusals.length > 0) return { ok: false, refusals };
  const inserted = await sql<{ id: number }>`
    insert into node (name, description, deployment_id, labels, hint, macs, system_uuid, serial, bootenv, available, admin)
    select r.name, r.description, d.id, r.labels, r.hint, array(select jsonb_array_elements_text(r.macs)),
           r.system_uuid, r.serial, r.bootenv, r.available, r.admin
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (name text, description text, deployment text,
        labels jsonb, hint jsonb, macs jsonb, system_uuid text, serial text, bootenv text, available boolean, admin boolean))
      with ordinality as r (name, description, deployment, labels, hint, macs, system_uuid, serial, bootenv, available, admin, n)
    join deployment d on case when r.deployment is null then d.system else r.deployment in (d.name, d.id::text) end
    order by r.n
    returning id`.execute(tx);
  const nodeIds = inserted.rows.map((row) => row.id);
  await bindSystemRoles(tx, { nodeIds });
  return { ok: true, nodes: await readNodes(tx, nodeIds) };
};

interface Row {
  readonly name: string;
  readonly deployment: string | null;
  readonly macs: readonly string[];
  readonly system_uuid: string | null;
  readonly serial: string | null;
}

const findTaken = async (tx: Tx, rows: readonly Row[]): Promise<Refusal[]> => {
  const { rows: found } = await sql<{ n: number; what: string; value: string; by: string }>`
    with r as materialized (
      select * from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as
          (name text, deployment text, macs jsonb, system_uuid text))
        with ordinality as r (name, deployment, macs, system_uuid, n)
    )
    select r.n::int - 1 as n, 'name' as what, r.name as value, n.name as by from r join node n on n.name = r.name and n.deleted_at is null
    union all
    select r.n::int - 1, 'systemUuid', r.system_uuid, n.name from r join node n on n.system_uuid = r.system_uuid and n.deleted_at is null
    union all
    select r.n::int - 1, 'macs', m.mac, n.name from r cross join lateral jsonb_array_elements_text(r.macs) m(mac)
      join node n on n.macs @> array[m.mac] and n.deleted_at is null
    union all
    select r.n::int - 1, 'deployment', r.deployment, null from r where r.deployment is not null
      and not exists (select 1 from deployment d where r.deployment in (d.name, d.id::text))
    order by 1, 2`.execute(tx);
  return found.map(({ n, what, value, by }) =>
    what === 'name'
      ? { code: 'name_taken', path: `${n}/name`, message: `there is already a node ${value}` }
      : what === 'deployment'
        ? { code: 'not_found', path: `${n}/deployment`, message: `there is no deployment ${value}` }
        : { code: 'conflict', path: `${n}/${what}`, message: `${value} belongs to node ${by}` },
  );
};
