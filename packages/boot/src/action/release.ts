/**
 * Gives a machine back: its roles are unbound by commits (with their teardowns), its addresses go into
 * quarantine, and, if asked, its disks are erased: the wish is kept in the database and carried out at
 * once, or after the teardowns and what others are erasing. Asked again it replaces what was asked before.
 */
import type { Disk, JsonObject, Refusal } from '@hostwright/core';
import {
  commitSnapshot,
  discardSnapshot,
  needNode,
  planSnapshot,
  transaction,
  unbindRoles,
  updateNode,
  type Db,
  type PlanAdviser,
} from '@hostwright/engine';
import { sql } from 'kysely';
import { releaseAddresses } from '../address/release.ts';
import { foreseeInstall } from '../effect/foresee-install.ts';
import { planDisks } from '../effect/tell-install.ts';
import { ERASE_ROLE } from '../install/plan-erase.ts';
import { askErase, withdrawErase } from './ask-erase.ts';
import { carryRelease } from './carry-releases.ts';
import type { EraseWish } from './erase.ts';
import { inProposal } from './in-proposal.ts';
import { checkNamed } from './reinstall.ts';

export interface ReleaseOptions {
  readonly node: string;
  readonly actor: string;
  readonly erase?: EraseWish | undefined;
  readonly advisers: readonly PlanAdviser[];
}

export interface Released {
  readonly node: string;
  /** Deployments it was taken out of. */
  readonly left: readonly string[];
  /** What is still being torn down. */
  readonly pending: readonly string[];
  readonly addresses: readonly string[];
  readonly erasing: readonly Disk[];
  /** Erased by itself once nothing is pending. */
  readonly toErase: readonly Disk[];
}

export type ReleaseResult =
  | { readonly ok: true; readonly released: Released }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

interface Bound {
  readonly deploymentId: number;
  readonly deployment: string;
  readonly open: boolean;
  readonly roles: readonly string[];
}

const readBound = async (db: Db, nodeId: number): Promise<readonly Bound[]> => {
  const { rows } = await sql<Bound>`
    select d.id as "deploymentId", d.name as deployment, array_agg(r.name order by r.name) as roles,
      exists (select 1 from snapshot s where s.deployment_id = d.id and s.state = 'proposed') as open
    from noderole w join deployment d on d.id = w.deployment_id join role r on r.id = w.role_id
    where w.node_id = ${nodeId} and not d.system and not w.removing and r.name <> ${ERASE_ROLE}
    group by d.id order by d.id desc`.execute(db);
  return rows;
};

const readPending = async (db: Db, nodeId: number): Promise<readonly string[]> => {
  const { rows } = await sql<{ role: string }>`
    select r.name as role from noderole w join role r on r.id = w.role_id
    where w.node_id = ${nodeId} and w.removing order by 1`.execute(db);
  return rows.map((row) => row.role);
};

const takeOut = async (
  db: Db,
  bound: Bound,
  options: ReleaseOptions,
): Promise<readonly Refusal[]> => {
  const { actor, advisers } = options;
  const { deploymentId } = bound;
  return inProposal(db, { deploymentId, actor }, async (snapshotId) => {
    const drop = async (refusals: readonly Refusal[]) => {
      await discardSnapshot(db, { snapshotId, actor });
      return refusals;
    };
    const { refusals } = await unbindRoles(db, {
      snapshotId,
      actor,
      bindings: bound.roles.map((role) => ({ role, node: options.node })),
    });
    if (refusals.length > 0) return drop(refusals);
    const plan = await planSnapshot(db, snapshotId, advisers);
    if (plan.refusals.length > 0) return drop(plan.refusals);
    await commitSnapshot(db, {
      snapshotId,
      planHash: plan.hash,
      message: `${options.node} is released`,
      actor,
      advisers,
    });
    return [];
  });
};

/** Everything that can be refused is refused before anything is done. Also tells which disks are meant. */
const check = async (
  db: Db,
  bound: readonly Bound[],
  options: ReleaseOptions,
): Promise<{ readonly refusals: readonly Refusal[]; readonly disks: readonly Disk[] }> => {
  const node = await needNode(db, options.node);
  const refusals: Refusal[] = bound
    .filter((one) => one.open)
    .map((one) => ({
      code: 'conflict',
      path: `deployment ${one.deployment}`,
      message: `${one.deployment} has an open proposal: commit or discard it first`,
    }));
  if (node.admin)
    refusals.push({ code: 'conflict', path: 'node', message: 'the admin node is never released' });
  if (options.erase === undefined) return { refusals, disks: [] };
  const discovery: JsonObject = node.discovery;
  const attribs = { erase: { how: options.erase.how } };
  const made = await foreseeInstall(db, { role: ERASE_ROLE, node: node.name, attribs, discovery });
  if (!made.ok) return { refusals: [...refusals, ...made.refusals], disks: [] };
  const disks = planDisks(made.plan, discovery);
  return { refusals: [...refusals, ...checkNamed(disks, options.erase.disks)], disks };
};

export const releaseNode = async (db: Db, given: ReleaseOptions): Promise<ReleaseResult> => {
  const node = await needNode(db, given.node);
  const options = { ...given, node: node.name };
  const bound = await readBound(db, node.id);
  const { refusals, disks } = await check(db, bound, options);
  if (refusals.length > 0) return { ok: false, refusals };
  await transaction(db, (tx) => withdrawErase(tx, { nodeId: node.id, actor: given.actor }));
  for (const one of bound) {
    const refused = await takeOut(db, one, options);
    if (refused.length > 0) return { ok: false, refusals: refused };
  }
  const addresses = await transaction(db, (tx) => releaseAddresses(tx, { nodeId: node.id }));
  if (bound.length > 0)
    await updateNode(db, {
      node: node.name,
      changes: { deployment: 'system' },
      actor: given.actor,
    });
  const { erase } = options;
  const pending = await readPending(db, node.id);
  const left = bound.map((one) => one.deployment);
  const released = { node: node.name, left, pending, addresses, erasing: [], toErase: [] };
  if (erase === undefined) return { ok: true, released };
  const wish = { nodeId: node.id, actor: given.actor, how: erase.how, disks };
  await transaction(db, (tx) => askErase(tx, wish));
  if (pending.length > 0) return { ok: true, released: { ...released, toErase: disks } };
  const come = await carryRelease(db, node.id);
  if (come.failed !== null)
    return {
      ok: false,
      refusals: [
        { code: 'conflict', path: 'erase', message: `it is released, but ${come.failed}` },
      ],
    };
  return {
    ok: true,
    released: { ...released, ...(come.begun ? { erasing: disks } : { toErase: disks }) },
  };
};
