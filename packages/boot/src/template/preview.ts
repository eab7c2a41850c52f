/**
 * What an installation of a node would be: its plan and the files its installer would get, without a
 * token, a password hash or a row written. Made by the same functions as the real thing.
 */
import { readdir } from 'node:fs/promises';
import { HostwrightError, type JsonObject, type JsonValue, type Refusal } from '@hostwright/core';
import { explainAttribs, needNode, type Db } from '@hostwright/engine';
import { sql } from 'kysely';
import { makeInstallPlan, writePlanLines, type InstallPlan } from '../install/plan.ts';
import { readDisks } from '../install/read-disks.ts';
import { readImage, readTemplateRow, type TemplateRow } from './read-row.ts';
import { previewTemplateFile } from './render-file.ts';

export interface InstallPreview {
  readonly os: string;
  readonly node: string;
  readonly nodeId: number;
  readonly noderoleId: number | null;
  readonly refusals: readonly Refusal[];
  readonly plan: JsonObject | null;
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

const object = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

const findNoderole = async (
  db: Db,
  wanted: { readonly nodeId: number; readonly noderole: number | undefined },
): Promise<number | null> => {
  const { rows } = await sql<{ id: number }>`
    select nr.id from noderole nr join role r on r.id = nr.role_id
    where nr.node_id = ${wanted.nodeId} and r.name = 'provisioner-os-install'
      and (${wanted.noderole ?? null}::bigint is null or nr.id = ${wanted.noderole ?? null}::bigint)`.execute(
    db,
  );
  if (rows[0] === undefined && wanted.noderole !== undefined)
    throw new HostwrightError('not_found', {
      message: `noderole ${wanted.noderole} installs no operating system on this node`,
    });
  return rows[0]?.id ?? null;
};

/** The defaults of the role, for a node that nobody has bound it to yet. */
const roleDefaults = async (db: Db): Promise<JsonObject> => {
  const { rows } = await sql<{ path: string; value: JsonValue }>`
    select a.path, a."default" as value from attrib a join role r on r.id = a.role_id
    where r.name = 'provisioner-os-install' and a.path like 'os_install/%' and a."default" is not null`.execute(
    db,
  );
  return Object.fromEntries(rows.map(({ path, value }) => [path.slice(11), value]));
};

const renderFiles = async (
  template: TemplateRow,
  plan: InstallPlan,
  bootUrl: string,
): Promise<InstallPreview['files']> => {
  const names: string[] = await readdir(template.folder).catch(() => []);
  const files = names
    .filter((name) => name.endsWith('.tmpl'))
    .sort()
    .map(async (name) => {
      const file = name.slice(0, -'.tmpl'.length);
      const installUrl = `${bootUrl}/boot/v1/install/TOKEN-OF-THE-RUN`;
      const text = await previewTemplateFile(template.folder, { file, plan, installUrl, bootUrl });
      return { name: file, text };
    });
  return template.kind === 'image'
    ? [{ name: 'plan', text: writePlanLines(plan, bootUrl) }, ...(await Promise.all(files))]
    : Promise.all(files);
};

export const previewInstall = async (
  db: Db,
  options: {
    readonly os: string;
    readonly node: string;
    readonly noderole?: number | undefined;
    readonly bootUrl: string;
  },
): Promise<InstallPreview> => {
  const template = await readTemplateRow(db, options.os);
  if (template === null)
    throw new HostwrightError('not_found', { message: `there is no OS template ${options.os}` });
  const node = await needNode(db, options.node);
  const noderoleId = await findNoderole(db, { nodeId: node.id, noderole: options.noderole });
  const { password_hash: _, ...attribs } =
    noderoleId === null
      ? await roleDefaults(db)
      : object((await explainAttribs(db, { noderoleId })).attribs['os_install']);
  const made = makeInstallPlan({
    attribs,
    nodeName: node.name,
    disks: readDisks(node.discovery),
    template,
    image: await readImage(db, template, attribs['image']),
  });
  const about = { os: template.name, node: node.name, nodeId: node.id, noderoleId };
  if (!made.ok) return { ...about, refusals: made.refusals, plan: null, files: [] };
  return {
    ...about,
    refusals: [],
    // plain texts, numbers and lists by its type
    plan: { ...made.plan } as unknown as JsonObject,
    files: await renderFiles(template, made.plan, options.bootUrl),
  };
};
