/**
 * The first step of an installation, in one transaction: freeze the plan, open the boot intent, say
 * what the node is to boot. Nothing has been sent to anybody yet: the versions that this makes must
 * first be acknowledged.
 */
import type { JsonObject, Refusal } from '@hostwright/core';
import { setNodeBootenv, transaction, type Db, type RunHandle, type Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { openIntent } from '../intent/open-intent.ts';
import { recordBootEvent } from '../recorder/record.ts';
import { readImage, readTemplateRow } from '../template/read-row.ts';
import { PHASE_SECONDS, PHASE_WAITS_FOR } from './phase.ts';
import { makeInstallPlan, type InstallPlan, type MadePlan } from './plan.ts';
import { ERASE_ROLE, makeErasePlan } from './plan-erase.ts';
import { readDisks } from './read-disks.ts';

export type Begun =
  | { readonly ok: true; readonly plan: InstallPlan }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

const wishes = (attribs: JsonObject): JsonObject => {
  const own = attribs['os_install'];
  return typeof own === 'object' && own !== null && !Array.isArray(own) ? own : {};
};

/** Only the disks that a person allowed this run to erase, by name. No consent, or one that names none, is no leave. */
const checkConsent = async (
  tx: Tx,
  runId: number,
  plan: InstallPlan,
): Promise<readonly Refusal[]> => {
  const consent = await tx
    .selectFrom('consent')
    .select('disks')
    .where('used_by_run', '=', runId)
    .executeTakeFirst();
  const named = consent?.disks ?? [];
  return plan.disks
    .filter((disk) => !named.includes(disk.serial) && !named.includes(disk.name))
    .map((disk) => ({
      code: 'wrong_disk',
      path: 'disk',
      message: `${disk.name} (${disk.serial}) would be erased, but the consent names ${named.length === 0 ? 'no disk: say which with `hostwright node reinstall`' : named.join(', ')}`,
    }));
};

const INTENT_SECONDS = PHASE_SECONDS.acks + PHASE_SECONDS.power + PHASE_SECONDS.boot;

const makePlan = async (
  tx: Tx,
  handle: RunHandle,
  node: { readonly name: string; readonly discovery: JsonObject },
): Promise<MadePlan> => {
  const disks = readDisks(node.discovery);
  if (handle.role.name === ERASE_ROLE)
    return makeErasePlan({ attribs: handle.attribs, nodeName: node.name, disks });
  const attribs = wishes(handle.attribs);
  const os = typeof attribs['os'] === 'string' ? attribs['os'] : '';
  const template = await readTemplateRow(tx, os);
  if (template === null) {
    const message = os === '' ? 'no OS is chosen' : `there is no OS ${os}`;
    return { ok: false, refusals: [{ code: 'no_os', path: 'os', message }] };
  }
  return makeInstallPlan({
    attribs,
    nodeName: node.name,
    disks,
    template,
    image: await readImage(tx, template, attribs['image']),
  });
};

export const beginInstall = async (db: Db, handle: RunHandle): Promise<Begun> =>
  transaction(db, async (tx) => {
    const node = await tx
      .selectFrom('node')
      .select(['name', 'discovery', 'boot_epoch'])
      .where('id', '=', handle.node.id)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    const made = await makePlan(tx, handle, {
      name: node.name,
      // facts are JSON by the check of reportInventory
      discovery: node.discovery as JsonObject,
    });
    if (!made.ok) return made;
    const refusals = await checkConsent(tx, handle.runId, made.plan);
    if (refusals.length > 0) return { ok: false, refusals };
    await tx
      .updateTable('os_install')
      .set({ phase: 'failed', error: 'replaced by a later run' })
      .where('node_id', '=', handle.node.id)
      .where('phase', 'not in', ['done', 'failed'])
      .execute();
    await tx
      .insertInto('os_install')
      .values({
        node_id: handle.node.id,
        noderole_id: handle.noderoleId,
        run_id: handle.runId,
        plan: JSON.stringify(made.plan),
        phase: 'acks',
        waits_for: PHASE_WAITS_FOR.acks,
        phase_deadline: sql<Date>`now() + ${PHASE_SECONDS.acks} * interval '1 second'`,
        boot_epoch: node.boot_epoch,
      })
      .execute();
    await openIntent(tx, {
      nodeId: handle.node.id,
      bootenv: made.plan.bootenv,
      runId: handle.runId,
      seconds: INTENT_SECONDS,
    });
    await setNodeBootenv(tx, { nodeId: handle.node.id, bootenv: made.plan.bootenv });
    const disks = made.plan.disks.map((disk) => `${disk.name} (${disk.serial})`).join(', ');
    await recordBootEvent(tx, {
      nodeId: handle.node.id,
      kind: 'phase',
      text:
        made.plan.kind === 'erase'
          ? `erasing ${disks} begins`
          : `install of ${made.plan.os} on ${disks} begins`,
    });
    return made;
  });
