/**
 * Gives a machine back: its roles are unbound by commits (with their teardowns), its addresses go into
 * quarantine, and, if asked, its disks are erased by a noderole of `provisioner-erase` in the
 * deployment `released`. May be called again until it has nothing left to do.
 */
import { HostwrightError, type Disk, type JsonObject, type Refusal } from '@hostwright/core';
import {
  bindRoles,
  commitSnapshot,
  createDeployment,
  discardSnapshot,
  needNode,
  planSnapshot,
  proposeSnapshot,
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
import { checkNamed, planReinstall, reinstall } from './reinstall.ts';

export const RELEASED = 'released';

export interface ReleaseOptions {
  readonly node: string;
  readonly actor: string;
  readonly erase?:
    | { readonly disks: readonly string[]; readonly how: 'quick' | 'full' }
    | undefined;
  readonly advisers: readonly PlanAdviser[];
}

export interface Released {
  readonly node: string;
  /** Deployments it was taken out of. */
  readonly left: readonly string[];
  /** What is still being torn down: an erasure begins once this is empty, when asked again. */
  readonly pending: readonly string[];
  readonly addresses: readonly string[];
  readonly erasing: readonly Disk[];
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
  const snapshot = await proposeSnapshot(db, { deploymentId: bound.deploymentId, actor });
  const drop = async (refusals: readonly Refusal[]) => {
    await discardSnapshot(db, { snapshotId: snapshot.id, actor });
    return refusals;
  };
  const { refusals } = await unbindRoles(db, {
    snapshotId: snapshot.id,
    actor,
    bindings: bound.roles.map((role) => ({ role, node: options.node })),
  });
  if (refusals.length > 0) return drop(refusals);
  const plan = await planSnapshot(db, snapshot.id, advisers);
  if (plan.refusals.length > 0) return drop(plan.refusals);
  await commitSnapshot(db, {
    snapshotId: snapshot.id,
    planHash: plan.hash,
    message: `${options.node} is released`,
    actor,
    advisers,
  });
  return [];
};

const needReleased = async (db: Db, actor: string): Promise<number> => {
  const known = await db
    .selectFrom('deployment')
    .select('id')
    .where('name', '=', RELEASED)
    .executeTakeFirst();
  const description = 'Machines that were given back and erased';
  return known?.id ?? (await createDeployment(db, { name: RELEASED, description, actor })).id;
};

const beginErase = async (
  db: Db,
  options: ReleaseOptions & { readonly erase: NonNullable<ReleaseOptions['erase']> },
): Promise<readonly Disk[]> => {
  const { actor, advisers, erase, node } = options;
  const deploymentId = await needReleased(db, actor);
  const snapshot = await proposeSnapshot(db, { deploymentId, actor });
  const bound = await bindRoles(db, {
    snapshotId: snapshot.id,
    actor,
    bindings: [{ role: ERASE_ROLE, node, data: { erase: { how: erase.how } } }],
  });
  const plan = await planSnapshot(db, snapshot.id, advisers);
  const refusals = [...bound.refusals, ...plan.refusals];
  const item = plan.destructive.find((one) => one.node === node && one.role === ERASE_ROLE);
  if (refusals.length > 0 || item === undefined) {
    await discardSnapshot(db, { snapshotId: snapshot.id, actor });
    throw new HostwrightError('refused', { message: 'it cannot be erased', refusals });
  }
  await commitSnapshot(db, {
    snapshotId: snapshot.id,
    planHash: plan.hash,
    message: `${node} is erased`,
    actor,
    advisers,
    consent: [{ role: ERASE_ROLE, node, disks: erase.disks }],
  });
  return item.disks;
};

const eraseAgain = async (
  db: Db,
  options: ReleaseOptions & { readonly erase: NonNullable<ReleaseOptions['erase']> },
): Promise<readonly Disk[]> => {
  const done = await reinstall(db, {
    node: options.node,
    role: ERASE_ROLE,
    disks: options.erase.disks,
    actor: options.actor,
  });
  if (!done.ok)
    throw new HostwrightError('refused', {
      message: 'it cannot be erased again',
      refusals: done.refusals,
    });
  return done.plan.disks;
};

/** Everything that can be refused is refused before anything is done. */
const check = async (
  db: Db,
  bound: readonly Bound[],
  options: ReleaseOptions,
): Promise<readonly Refusal[]> => {
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
  if (options.erase !== undefined) {
    const discovery: JsonObject = node.discovery;
    const attribs = { erase: { how: options.erase.how } };
    const made = await foreseeInstall(db, {
      role: ERASE_ROLE,
      node: node.name,
      attribs,
      discovery,
    });
    refusals.push(
      ...(made.ok
        ? checkNamed(planDisks(made.plan, discovery), options.erase.disks)
        : made.refusals),
    );
  }
  return refusals;
};

export const releaseNode = async (db: Db, given: ReleaseOptions): Promise<ReleaseResult> => {
  const node = await needNode(db, given.node);
  const options = { ...given, node: node.name };
  const bound = await readBound(db, node.id);
  const refusals = await check(db, bound, options);
  if (refusals.length > 0) return { ok: false, refusals };
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
  const pending = await readPending(db, node.id);
  const released = {
    node: node.name,
    left: bound.map((one) => one.deployment),
    pending,
    addresses,
  };
  const { erase } = options;
  if (erase === undefined || pending.length > 0)
    return { ok: true, released: { ...released, erasing: [] } };
  const known = await planReinstall(db, { node: node.name, role: ERASE_ROLE }).catch(
    (error: unknown) => {
      if (error instanceof HostwrightError && error.code === 'conflict') return null;
      throw error;
    },
  );
  const wanted = { ...options, erase };
  const erasing = known === null ? await beginErase(db, wanted) : await eraseAgain(db, wanted);
  return { ok: true, released: { ...released, erasing } };
};
