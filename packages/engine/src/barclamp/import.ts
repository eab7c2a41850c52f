/**
 * Imports a barclamp from its folder: all of it or nothing. The same content again changes nothing.
 * What it needs and is not there yet is reported, not refused: it may come with the next barclamp;
 * binding such a role is refused until then.
 */
import { refuseRoleCycles, unresolvedNeeds, type Manifest, type Refusal } from '@hostwright/core';
import { sql } from 'kysely';
import { reconsiderInputs } from '../attribs/reconsider-inputs.ts';
import { bindSystemRoles } from '../binding/bind-system-roles.ts';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { lockTree } from '../deployment/lock-tree.ts';
import { emit } from '../event/emit.ts';
import { readCatalogue } from '../role/read-catalogue.ts';
import { relinkRoles } from '../snapshot/link-attribs.ts';
import { dropRoles, type DroppedRole } from './drop-roles.ts';
import { readBarclampFolder, type BarclampFolder } from './read-folder.ts';
import { badManifest } from './read-manifest.ts';
import { dropAttribs, writeAttribs, writeRole, type RoleChange } from './write-roles.ts';

export interface ImportReport {
  readonly barclamp: string;
  readonly version: string;
  /** Names of roles. */
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly dropped: readonly string[];
  readonly unchanged: readonly string[];
  /** Dropped roles that something still uses or names. */
  readonly kept: readonly DroppedRole[];
  /** Names that roles of this barclamp need and no imported barclamp has yet. */
  readonly unresolved: readonly { readonly role: string; readonly needs: string }[];
}

const checkForeign = async (tx: Tx, manifest: Manifest): Promise<Refusal[]> => {
  const { rows: jigs } = await sql<{ name: string }>`select name from jig`.execute(tx);
  const known = new Set(jigs.map((row) => row.name));
  const refusals: Refusal[] = [];
  manifest.roles.forEach((role, index) => {
    if (!known.has(role.jig))
      refusals.push({
        code: 'unknown_jig',
        path: `roles.${index}.jig`,
        message: `role ${role.name}: there is no jig ${role.jig} (there are ${[...known].sort().join(', ') || 'none'})`,
      });
  });
  const attribs = [...manifest.attribs, ...manifest.roles.flatMap((role) => role.attribs)];
  const { rows: taken } = await sql<{ what: string; name: string; barclamp: string }>`
    select 'role' as what, r.name, b.name as barclamp from role r join barclamp b on b.id = r.barclamp_id
      where b.name <> ${manifest.name} and r.name = any(${manifest.roles.map((role) => role.name)}::text[])
    union all
    select 'attribute', a.name, b.name from attrib a join barclamp b on b.id = a.barclamp_id
      where b.name <> ${manifest.name} and a.name = any(${attribs.map((attrib) => attrib.name)}::text[])`.execute(
    tx,
  );
  for (const { what, name, barclamp } of taken)
    refusals.push({
      code: 'name_taken',
      path: name,
      message: `${what} ${name} belongs to barclamp ${barclamp}`,
    });
  const { rows: lanes } = await sql<{ name: string; lane: string }>`
    select r.name, r.lane from role r where r.name = any(${manifest.roles.map((role) => role.name)}::text[])
      and exists (select from noderole w where w.role_id = r.id)`.execute(tx);
  for (const { name, lane } of lanes) {
    const role = manifest.roles.find((candidate) => candidate.name === name);
    if (role !== undefined && role.lane !== lane)
      refusals.push({
        code: 'lane_in_use',
        path: `roles.${manifest.roles.indexOf(role)}.lane`,
        message: `role ${name} is bound in lane ${lane}: unbind it everywhere before it changes lanes`,
      });
  }
  return refusals;
};

const writeBarclamp = async (tx: Tx, folder: BarclampFolder) => {
  const { manifest } = folder;
  const before = await tx
    .selectFrom('barclamp')
    .select(['id', 'content_hash', 'source_path'])
    .where('name', '=', manifest.name)
    .executeTakeFirst();
  if (before?.content_hash === folder.contentHash && before.source_path === folder.path)
    return { id: before.id, same: true };
  const { rows } = await sql<{ id: number }>`
    insert into barclamp as b (name, version, description, source_path, content_hash, data)
    values (${manifest.name}, ${manifest.version}, ${manifest.description}, ${folder.path}, ${folder.contentHash}, ${JSON.stringify(manifest.data)}::jsonb)
    on conflict (name) do update set version = excluded.version, description = excluded.description, source_path = excluded.source_path,
      content_hash = excluded.content_hash, data = excluded.data, imported_at = now(),
      revision = b.revision + (b.data <> excluded.data)::int
    returning id`.execute(tx);
  return { id: rows[0]?.id ?? 0, same: false };
};

/** Roles bound by themselves go to the nodes that are there already, too: no order of events matters. */
const bindToStanding = async (tx: Tx, folder: BarclampFolder, added: readonly string[]) => {
  const bySelf = folder.manifest.roles.filter(
    (role) =>
      added.includes(role.name) &&
      role.flags.some((flag) => flag === 'discovery' || flag === 'bootstrap'),
  );
  if (bySelf.length === 0) return;
  const nodes = await tx
    .selectFrom('node')
    .select('id')
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  await bindSystemRoles(tx, { nodeIds: nodes.map((node) => node.id) });
};

const importFolder = async (
  tx: Tx,
  folder: BarclampFolder,
  actor: string,
): Promise<ImportReport> => {
  await lockTree(tx, 'alone');
  const { manifest } = folder;
  const refusals = await checkForeign(tx, manifest);
  if (refusals.length > 0) throw badManifest(refusals);
  const barclamp = await writeBarclamp(tx, folder);
  const names: Record<RoleChange, string[]> = { added: [], changed: [], unchanged: [] };
  let dropped: DroppedRole[] = [];
  if (barclamp.same) names.unchanged.push(...manifest.roles.map((role) => role.name));
  else {
    dropped = await dropRoles(tx, {
      barclampId: barclamp.id,
      keep: manifest.roles.map((role) => role.name),
    });
    await dropAttribs(tx, barclamp.id, manifest);
    await writeAttribs(tx, { barclampId: barclamp.id, roleId: null, attribs: manifest.attribs });
    for (const role of manifest.roles) {
      const { change } = await writeRole(tx, barclamp.id, {
        role,
        contentHash: folder.roleContent.get(role.name),
      });
      names[change].push(role.name);
    }
  }
  const catalogue = await readCatalogue(tx);
  const cycles = refuseRoleCycles(catalogue);
  if (cycles.length > 0) throw badManifest(cycles);
  if (!barclamp.same) {
    await relinkRoles(tx, barclamp.id);
    await reconsiderBound(tx, manifest);
    await bindToStanding(tx, folder, names.added);
    await emit(tx, {
      kind: 'barclamp.imported',
      payload: {
        name: manifest.name,
        version: manifest.version,
        actor,
        added: names.added,
        changed: names.changed,
        dropped: dropped.map(({ role }) => role),
      },
    });
  }
  return {
    barclamp: manifest.name,
    version: manifest.version,
    ...names,
    dropped: dropped.map(({ role }) => role),
    kept: dropped.filter(({ kept }) => kept !== null),
    unresolved: manifest.roles.flatMap((role) => {
      const known = catalogue.byName.get(role.name);
      return known === undefined
        ? []
        : unresolvedNeeds(catalogue, known).map(({ name }) => ({ role: role.name, needs: name }));
    }),
  };
};

/** Defaults and data of the barclamp are inputs: what runs on other ones now is told. */
const reconsiderBound = async (tx: Tx, manifest: Manifest): Promise<void> => {
  const { rows } = await sql<{ id: number }>`
    select w.id from noderole w join role r on r.id = w.role_id join barclamp b on b.id = r.barclamp_id
    where b.name = ${manifest.name} and w.state in ('active', 'transition')`.execute(tx);
  await reconsiderInputs(tx, {
    noderoleIds: rows.map((row) => row.id),
    cause: `import of barclamp ${manifest.name} ${manifest.version}`,
  });
};

export const importBarclamp = async (
  db: Db,
  options: { readonly folder: string; readonly actor: string },
): Promise<ImportReport> => {
  const folder = await readBarclampFolder(options.folder);
  return transaction(db, (tx) => importFolder(tx, folder, options.actor));
};
