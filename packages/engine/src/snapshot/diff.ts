/** What differs between two revisions of a deployment: reads only rows that are in one and not the other. */
import { diffRows, HostwrightError, type Difference, type JsonObject } from '@hostwright/core';
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../db/open.ts';

export interface BindingDifference {
  readonly role: string;
  readonly node: string;
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

export interface SnapshotDiff {
  readonly from: number;
  readonly to: number;
  readonly bindings: {
    readonly added: readonly BindingDifference[];
    readonly removed: readonly BindingDifference[];
    readonly changed: readonly BindingDifference[];
  };
  readonly roles: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly { role: string; before: JsonObject; after: JsonObject }[];
  };
  readonly data: { readonly before: JsonObject; readonly after: JsonObject } | null;
}

const at = (revision: number): RawBuilder<boolean> =>
  sql`(t.added_revision <= ${revision} and (t.removed_revision is null or t.removed_revision > ${revision}))`;

interface Options {
  readonly deploymentId: number;
  readonly from: number;
  readonly to: number;
}

const differences = async (
  db: Db | Tx,
  { deploymentId, from, to }: Options,
  source: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
): Promise<Difference[]> => {
  const { rows } = await sql<{ key: string; data: JsonObject; before: boolean }>`
    select ${key} as key, t.data, ${at(from)} as before from ${source}
    where t.deployment_id = ${deploymentId} and ${at(from)} <> ${at(to)}`.execute(db);
  return diffRows(
    rows.filter((row) => row.before),
    rows.filter((row) => !row.before),
  );
};

const asBinding = ({ key, before, after }: Difference): BindingDifference => {
  const cut = key.indexOf('@');
  return {
    role: key.slice(0, cut),
    node: key.slice(cut + 1),
    ...(before === null ? {} : { before }),
    ...(after === null ? {} : { after }),
  };
};

export const diffSnapshots = async (db: Db | Tx, options: Options): Promise<SnapshotDiff> => {
  const known = await sql<{ revision: number }>`
    select revision from snapshot where deployment_id = ${options.deploymentId} and revision in (${options.from}, ${options.to})`.execute(
    db,
  );
  for (const revision of [options.from, options.to])
    if (revision !== 0 && !known.rows.some((row) => row.revision === revision))
      throw new HostwrightError('not_found', { message: `there is no revision ${revision}` });
  const bindings = await differences(
    db,
    options,
    sql`binding t join role r on r.id = t.role_id join node n on n.id = t.node_id`,
    sql`r.name || '@' || n.name`,
  );
  const roles = await differences(
    db,
    options,
    sql`deployment_role t join role r on r.id = t.role_id`,
    sql`r.name`,
  );
  const data = await differences(db, options, sql`deployment_data t`, sql`'data'`);
  const of = (list: readonly Difference[], change: Difference['change']) =>
    list.filter((difference) => difference.change === change);
  const [changed] = data;
  return {
    from: options.from,
    to: options.to,
    bindings: {
      added: of(bindings, 'added').map(asBinding),
      removed: of(bindings, 'removed').map(asBinding),
      changed: of(bindings, 'data').map(asBinding),
    },
    roles: {
      added: of(roles, 'added').map((difference) => difference.key),
      removed: of(roles, 'removed').map((difference) => difference.key),
      changed: of(roles, 'data').map(({ key, before, after }) => ({
        role: key,
        before: before ?? {},
        after: after ?? {},
      })),
    },
    data:
      changed === undefined ? null : { before: changed.before ?? {}, after: changed.after ?? {} },
  };
};
