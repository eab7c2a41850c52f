/**
 * Begins to erase a machine: a noderole of `provisioner-erase` in the deployment `released`, or the one
 * that is there once more, with a consent for exactly the disks that are named.
 */
import { HostwrightError, type Disk, type Refusal } from '@hostwright/core';
import {
  bindRoles,
  commitSnapshot,
  createDeployment,
  discardSnapshot,
  planSnapshot,
  proposeSnapshot,
  transaction,
  type Db,
  type PlanAdviser,
  type Tx,
} from '@hostwright/engine';
import { ERASE_ROLE } from '../install/plan-erase.ts';
import { checkNamed, planReinstall, reinstallIn } from './reinstall.ts';

export const RELEASED = 'released';

export interface EraseWish {
  readonly disks: readonly string[];
  readonly how: 'quick' | 'full';
}

export interface EraseOptions {
  readonly node: string;
  readonly actor: string;
  readonly erase: EraseWish;
  readonly advisers: readonly PlanAdviser[];
  /** Who opens the proposal, if not the actor. */
  readonly proposer?: string;
  /** In the transaction that grants the consent; throws if it must not be granted. */
  readonly withConsent?: (tx: Tx) => Promise<void>;
}

const needReleased = async (db: Db, actor: string): Promise<number> => {
  const known = await db
    .selectFrom('deployment')
    .select('id')
    .where('name', '=', RELEASED)
    .executeTakeFirst();
  const description = 'Machines that were given back and erased';
  return known?.id ?? (await createDeployment(db, { name: RELEASED, description, actor })).id;
};

const refused = (message: string, refusals: readonly Refusal[]): HostwrightError =>
  new HostwrightError('refused', { message, refusals });

const eraseFirst = async (db: Db, options: EraseOptions): Promise<readonly Disk[]> => {
  const { actor, advisers, erase, node, withConsent } = options;
  const deploymentId = await needReleased(db, actor);
  const proposer = options.proposer ?? actor;
  const snapshot = await proposeSnapshot(db, { deploymentId, actor: proposer });
  const bound = await bindRoles(db, {
    snapshotId: snapshot.id,
    actor: proposer,
    bindings: [{ role: ERASE_ROLE, node, data: { erase: { how: erase.how } } }],
  });
  const plan = await planSnapshot(db, snapshot.id, advisers);
  const item = plan.destructive.find((one) => one.node === node && one.role === ERASE_ROLE);
  const refusals = [
    ...bound.refusals,
    ...plan.refusals,
    ...checkNamed(item?.disks ?? [], erase.disks),
  ];
  if (refusals.length > 0 || item === undefined) {
    await discardSnapshot(db, { snapshotId: snapshot.id, actor: proposer });
    throw refused('it cannot be erased', refusals);
  }
  await commitSnapshot(db, {
    snapshotId: snapshot.id,
    planHash: plan.hash,
    message: `${node} is erased`,
    actor,
    advisers: [
      ...advisers,
      ...(withConsent === undefined
        ? []
        : [{ advise: async () => ({ effects: [], disks: new Map() }), carryOut: withConsent }]),
    ],
    consent: [{ role: ERASE_ROLE, node, disks: erase.disks }],
  });
  return item.disks;
};

const eraseAgain = async (db: Db, options: EraseOptions): Promise<readonly Disk[]> =>
  transaction(db, async (tx) => {
    await options.withConsent?.(tx);
    const done = await reinstallIn(tx, {
      node: options.node,
      role: ERASE_ROLE,
      disks: options.erase.disks,
      actor: options.actor,
    });
    if (!done.ok) throw refused('it cannot be erased again', done.refusals);
    return done.plan.disks;
  });

export const eraseNode = async (db: Db, options: EraseOptions): Promise<readonly Disk[]> => {
  const known = await planReinstall(db, { node: options.node, role: ERASE_ROLE }).catch(
    (error: unknown) => {
      if (error instanceof HostwrightError && error.code === 'conflict') return null;
      throw error;
    },
  );
  return known === null ? eraseFirst(db, options) : eraseAgain(db, options);
};
