/** What a run of an installing or erasing role would do if it started now; no run, no row. */
import type { JsonObject, JsonValue } from '@hostwright/core';
import type { Db, Tx } from '@hostwright/engine';
import { makeInstallPlan, type MadePlan } from '../install/plan.ts';
import { ERASE_ROLE, makeErasePlan } from '../install/plan-erase.ts';
import { readDisks } from '../install/read-disks.ts';
import { readImage, readTemplateRow } from '../template/read-row.ts';

export const INSTALL_ROLE = 'provisioner-os-install';

const object = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

export const foreseeInstall = async (
  db: Db | Tx,
  wanted: {
    readonly role: string;
    readonly node: string;
    readonly attribs: JsonObject;
    readonly discovery: JsonObject;
  },
): Promise<MadePlan> => {
  const disks = readDisks(wanted.discovery);
  if (wanted.role === ERASE_ROLE)
    return makeErasePlan({ attribs: wanted.attribs, nodeName: wanted.node, disks });
  // a secret is a reference here, and no part of what is foreseen
  const { password_hash: _password, ...attribs } = object(wanted.attribs['os_install']);
  const os = typeof attribs['os'] === 'string' ? attribs['os'] : '';
  const template = await readTemplateRow(db, os);
  if (template === null) {
    const message = os === '' ? 'no OS is chosen' : `there is no OS ${os}`;
    return { ok: false, refusals: [{ code: 'no_os', path: 'os', message }] };
  }
  const image = await readImage(db, template, attribs['image']);
  return makeInstallPlan({ attribs, nodeName: wanted.node, disks, template, image });
};
