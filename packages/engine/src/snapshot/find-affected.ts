/**
 * Standing noderoles whose data a proposal touches: those bound with other data, those of a
 * deployment role whose data differs, and - for the deployment's own data - those here and below
 * whose roles declare something at a path that differs. Consumers of their attributes count too.
 */
import {
  declaredInputs,
  isObject,
  sameJson,
  type Catalogue,
  type JsonObject,
  type JsonValue,
} from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import type { SnapshotRecord } from './read.ts';

/** Paths of the leaves in which two documents differ. */
const differing = (
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: readonly string[] = [],
): (readonly string[])[] => {
  if (sameJson(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [path];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    differing(before[key], after[key], [...path, key]),
  );
};

const overlaps = (a: readonly string[], b: readonly string[]): boolean =>
  a.every((part, index) => index >= b.length || part === b[index]);

const readDocuments = async (db: Db | Tx, snapshot: SnapshotRecord) => {
  const { rows } = await sql<{ data: JsonObject; open: boolean }>`
    select data, removed_revision is null as open from deployment_data
    where deployment_id = ${snapshot.deploymentId} and ${snapshot.revision} in (added_revision, removed_revision)`.execute(
    db,
  );
  const after = rows.find((row) => row.open)?.data;
  const before = rows.find((row) => !row.open)?.data;
  return { before, after };
};

const readRoles = async (db: Db | Tx, snapshot: SnapshotRecord): Promise<number[]> => {
  const { rows } = await sql<{ role_id: number }>`
    select distinct role_id from deployment_role
    where deployment_id = ${snapshot.deploymentId} and ${snapshot.revision} in (added_revision, removed_revision)`.execute(
    db,
  );
  return rows.map((row) => row.role_id);
};

export const findAffected = async (
  db: Db | Tx,
  options: {
    readonly catalogue: Catalogue;
    readonly snapshot: SnapshotRecord;
    /** Noderoles of this deployment whose own data differs. */
    readonly ownData: readonly number[];
  },
): Promise<number[]> => {
  const { catalogue, snapshot } = options;
  const { before, after } = await readDocuments(db, snapshot);
  const paths =
    before === undefined && after === undefined ? [] : differing(before ?? {}, after ?? {});
  const roles = await readRoles(db, snapshot);
  const byData = catalogue.roles
    .filter((role) =>
      declaredInputs(catalogue, role).some((attrib) =>
        paths.some((path) => overlaps(attrib.path, path)),
      ),
    )
    .map((role) => role.id);
  if (roles.length === 0 && byData.length === 0 && options.ownData.length === 0) return [];
  const { rows } = await sql<{ id: number }>`
    with recursive below as (
      select id from deployment where id = ${snapshot.deploymentId}
      union all select d.id from deployment d join below b on d.parent_id = b.id
    ), touched as (
      select unnest(${[...options.ownData]}::bigint[]) as id
      union
      select w.id from noderole w where w.deployment_id = ${snapshot.deploymentId} and w.role_id = any(${roles}::bigint[])
      union
      select w.id from noderole w join below b on b.id = w.deployment_id where w.role_id = any(${byData}::bigint[])
    )
    select id from touched union select l.consumer_id from attrib_link l join touched t on t.id = l.provider_id
    order by 1`.execute(db);
  return rows.map((row) => row.id);
};
