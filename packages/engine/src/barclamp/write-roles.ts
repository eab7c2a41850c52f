/** One role of a barclamp in its tables; says whether it is new, changed or the same as before. */
import {
  attribPath,
  canonicalJson,
  ROLE_FLAGS,
  type JsonObject,
  type Manifest,
  type ManifestAttrib,
  type ManifestRole,
} from '@hostwright/core';
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';

export interface RoleContent {
  readonly role: ManifestRole;
  readonly contentHash: string | undefined;
}

const configOf = ({ role, contentHash }: RoleContent): JsonObject => ({
  ...role.config,
  ...(contentHash === undefined ? {} : { contentHash }),
});

const columnsOf = (barclampId: number, content: RoleContent) => {
  const { role } = content;
  const flags = Object.fromEntries(ROLE_FLAGS.map((flag) => [flag, role.flags.includes(flag)]));
  return {
    barclamp_id: barclampId,
    name: role.name,
    description: role.description,
    jig: role.jig,
    lane: role.lane,
    ...flags,
    provides: role.provides,
    conflicts: role.conflicts,
    priority: role.priority,
    deadline_seconds: role.deadlineSeconds,
    retry_limit: role.retry.limit,
    retry_backoff_seconds: role.retry.backoffSeconds,
    teardown: role.teardown,
    data: JSON.stringify(role.data),
    config: JSON.stringify(configOf(content)),
  };
};

/** What a role is, as text: two imports of the same content give the same. */
const fingerprint = (content: RoleContent): string =>
  canonicalJson({
    ...content.role,
    retry: { ...content.role.retry },
    config: configOf(content),
    attribs: content.role.attribs.map((attrib) => ({
      ...attrib,
      path: attribPath(attrib).join('/'),
      schema: attrib.schema ?? null,
      default: attrib.default ?? null,
    })),
  });

export type RoleChange = 'added' | 'changed' | 'unchanged';

export const writeRole = async (
  tx: Tx,
  barclampId: number,
  content: RoleContent,
): Promise<{ readonly id: number; readonly change: RoleChange }> => {
  const { role } = content;
  const print = fingerprint(content);
  const before = await tx
    .selectFrom('role')
    .select(['id', 'fingerprint', 'removed_at'])
    .where('name', '=', role.name)
    .executeTakeFirst();
  if (before !== undefined && before.fingerprint === print && before.removed_at === null)
    return { id: before.id, change: 'unchanged' };
  const columns = { ...columnsOf(barclampId, content), fingerprint: print };
  let id: number;
  if (before === undefined)
    ({ id } = await tx
      .insertInto('role')
      .values(columns)
      .returning('id')
      .executeTakeFirstOrThrow());
  else {
    id = before.id;
    await tx
      .updateTable('role')
      .set(columns)
      .set((eb) => ({ removed_at: null, revision: eb('revision', '+', 1) }))
      .where('id', '=', id)
      .execute();
  }
  await sql`delete from role_require where role_id = ${id}`.execute(tx);
  await sql`
    insert into role_require (role_id, requires, kind)
    select ${id}::bigint, name, 'hard' from unnest(${role.requires}::text[]) as r(name)
    union all
    select ${id}::bigint, name, 'soft' from unnest(${role.after.filter((name) => !role.requires.includes(name))}::text[]) as r(name)
    on conflict do nothing`.execute(tx);
  await sql`delete from role_want where role_id = ${id}`.execute(tx);
  await sql`
    insert into role_want (role_id, attrib) select distinct ${id}::bigint, name from unnest(${role.wants}::text[]) as w(name)`.execute(
    tx,
  );
  await writeAttribs(tx, { barclampId, roleId: id, attribs: role.attribs });
  return {
    id,
    change: before === undefined || before.removed_at !== null ? 'added' : 'changed',
  };
};

/**
 * Attributes that are no longer where they were: they may have moved to another role, so they go
 * before any new one comes. Those of a role that was dropped but is still bound stay, unless
 * another role now has the name.
 */
export const dropAttribs = async (
  tx: Tx,
  barclampId: number,
  manifest: Manifest,
): Promise<void> => {
  const pairs = [
    ...manifest.attribs.map((attrib) => ({ owner: '', name: attrib.name })),
    ...manifest.roles.flatMap((role) =>
      role.attribs.map((attrib) => ({ owner: role.name, name: attrib.name })),
    ),
  ];
  await sql`
    delete from attrib a where a.barclamp_id = ${barclampId}
      and not exists (select from unnest(${pairs.map((pair) => pair.owner)}::text[], ${pairs.map((pair) => pair.name)}::text[]) as k(owner, name)
        where k.name = a.name and k.owner = coalesce((select r.name from role r where r.id = a.role_id), ''))
      and (a.name = any(${pairs.map((pair) => pair.name)}::text[])
        or not exists (select from role r where r.id = a.role_id and r.removed_at is not null))`.execute(
    tx,
  );
};

export const writeAttribs = async (
  tx: Tx,
  options: {
    readonly barclampId: number;
    readonly roleId: number | null;
    readonly attribs: readonly ManifestAttrib[];
  },
): Promise<void> => {
  const owner =
    options.roleId === null
      ? sql`barclamp_id = ${options.barclampId} and role_id is null`
      : sql`role_id = ${options.roleId}`;
  await sql`delete from attrib where ${owner}`.execute(tx);
  for (const attrib of options.attribs)
    await tx
      .insertInto('attrib')
      .values({
        barclamp_id: options.barclampId,
        role_id: options.roleId,
        name: attrib.name,
        description: attrib.description,
        path: attribPath(attrib).join('/'),
        schema: attrib.schema === undefined ? null : JSON.stringify(attrib.schema),
        default: attrib.default === undefined ? null : JSON.stringify(attrib.default),
        secret: attrib.secret,
        volatile: attrib.volatile,
      })
      .execute();
};
