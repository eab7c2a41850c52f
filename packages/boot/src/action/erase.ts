/**
 * Begins to erase a machine: a noderole of `provisioner-erase` in the deployment `released`, or the one
 * that is there once more, with a consent for exactly the disks that are named.
 */
import { HostwrightError, type Disk, type JsonValue, type Refusal } from '@hostwright/core';
import {
  bindRoles,
  commitSnapshot,
  createDeployment,
  explainAttribs,
  lockTree,
  needNode,
  planSnapshot,
  setBindingData,
  transaction,
  unbindRoles,
  type Db,
  type PlanAdviser,
  type Tx,
} from '@hostwright/engine';
import { sql } from 'kysely';
import { ERASE_ROLE } from '../install/plan-erase.ts';
import { inProposal } from './in-proposal.ts';
import { checkNamed, reinstallIn } from './reinstall.ts';

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

/** Does something in the transaction of a commit, and tells nothing of the plan. */
const alongside = (carryOut: (tx: Tx) => Promise<void>): PlanAdviser => ({
  advise: async () => ({ effects: [], disks: new Map() }),
  carryOut,
});

/**
 * Machines that were erased once and belong to another deployment now: a plan of this one would be
 * refused for their sake, and with it the erasure of every other machine.
 */
const unbindMoved = async (
  db: Db,
  edit: { readonly snapshotId: number; readonly actor: string },
  deploymentId: number,
): Promise<void> => {
  const { rows } = await sql<{ node: string }>`
    with recursive up as (
      select id, parent_id from deployment where id = ${deploymentId}
      union all select d.id, d.parent_id from deployment d join up on d.id = up.parent_id)
    select n.name as node from binding b join node n on n.id = b.node_id join role r on r.id = b.role_id
    where b.deployment_id = ${deploymentId} and b.removed_revision is null and r.name = ${ERASE_ROLE}
      and n.deployment_id not in (select id from up)
      and not exists (select from noderole w where w.node_id = n.id and w.role_id = r.id and w.state = 'transition')
    order by 1`.execute(db);
  const bindings = rows.map(({ node }) => ({ role: ERASE_ROLE, node }));
  if (bindings.length > 0) await unbindRoles(db, { ...edit, bindings });
};

const eraseFirst = async (db: Db, options: EraseOptions): Promise<readonly Disk[]> => {
  const { actor, advisers, erase, node, withConsent } = options;
  const deploymentId = await needReleased(db, actor);
  const proposer = options.proposer ?? actor;
  return inProposal(db, { deploymentId, actor: proposer }, async (snapshotId) => {
    await unbindMoved(db, { snapshotId, actor: proposer }, deploymentId);
    const bound = await bindRoles(db, {
      snapshotId,
      actor: proposer,
      bindings: [{ role: ERASE_ROLE, node, data: { erase: { how: erase.how } } }],
    });
    const plan = await planSnapshot(db, snapshotId, advisers);
    const item = plan.destructive.find((one) => one.node === node && one.role === ERASE_ROLE);
    const refusals = [
      ...bound.refusals,
      ...plan.refusals,
      ...checkNamed(item?.disks ?? [], erase.disks),
    ];
    if (refusals.length > 0 || item === undefined) throw refused('it cannot be erased', refusals);
    await commitSnapshot(db, {
      snapshotId,
      planHash: plan.hash,
      message: `${node} is erased`,
      actor,
      advisers: [...advisers, alongside(async (tx) => withConsent?.(tx))],
      consent: [{ role: ERASE_ROLE, node, disks: erase.disks }],
    });
    return item.disks;
  });
};

interface Standing {
  readonly noderoleId: number;
  readonly deploymentId: number;
  readonly deployment: string;
}

const findStanding = async (db: Db, node: string): Promise<Standing | undefined> => {
  const { id } = await needNode(db, node);
  const { rows } = await sql<Standing>`
    select w.id as "noderoleId", w.deployment_id as "deploymentId", d.name as deployment
    from noderole w join role r on r.id = w.role_id join deployment d on d.id = w.deployment_id
    where w.node_id = ${id} and r.name = ${ERASE_ROLE}`.execute(db);
  return rows[0];
};

const object = (value: JsonValue | undefined) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

/** Is it this that a run would do now: every disk, and that thoroughly? */
const doesAs = async (
  db: Db | Tx,
  { noderoleId }: Standing,
  how: EraseWish['how'],
): Promise<boolean> => {
  const { attribs } = await explainAttribs(db, { noderoleId });
  const own = object(attribs['erase']);
  const chosen = Array.isArray(own['serials']) ? own['serials'].length : 0;
  return (own['how'] ?? 'quick') === how && chosen === 0;
};

const allow = async (
  tx: Tx,
  options: EraseOptions,
  standing: Standing,
): Promise<readonly Disk[]> => {
  const { actor, erase, node } = options;
  // nobody binds anything to the machine while this is decided
  await lockTree(tx, 'alone');
  await options.withConsent?.(tx);
  if (!(await doesAs(tx, standing, erase.how)))
    throw refused('it cannot be erased again', [
      {
        code: 'conflict',
        path: 'erase',
        message: `${ERASE_ROLE} on ${node} has data that says otherwise than ${erase.how}`,
      },
    ]);
  const done = await reinstallIn(tx, {
    node,
    role: ERASE_ROLE,
    disks: erase.disks,
    actor,
    // one whose leave was withdrawn waits there for another
    from: ['active', 'error', 'todo', 'blocked'],
  });
  if (!done.ok) throw refused('it cannot be erased again', done.refusals);
  return done.plan.disks;
};

/** What was asked of an earlier erasure is not what is asked now: its data is set first, in the same commit. */
const eraseOtherwise = async (
  db: Db,
  options: EraseOptions,
  standing: Standing,
): Promise<readonly Disk[]> => {
  const { actor, advisers, erase, node } = options;
  const proposer = options.proposer ?? actor;
  const { deploymentId, deployment: name } = standing;
  return inProposal(db, { deploymentId, actor: proposer }, async (snapshotId) => {
    const data = { erase: { how: erase.how } };
    if (name === RELEASED) await unbindMoved(db, { snapshotId, actor: proposer }, deploymentId);
    await setBindingData(db, { snapshotId, actor: proposer, role: ERASE_ROLE, node, data });
    const plan = await planSnapshot(db, snapshotId, advisers);
    if (plan.refusals.length > 0) throw refused('it cannot be erased again', plan.refusals);
    let disks: readonly Disk[] = [];
    await commitSnapshot(db, {
      snapshotId,
      planHash: plan.hash,
      message: `${node} is erased`,
      actor,
      advisers: [
        ...advisers,
        alongside(async (tx) => {
          disks = await allow(tx, options, standing);
        }),
      ],
    });
    return disks;
  });
};

export const eraseNode = async (db: Db, options: EraseOptions): Promise<readonly Disk[]> => {
  const standing = await findStanding(db, options.node);
  if (standing === undefined) return eraseFirst(db, options);
  return (await doesAs(db, standing, options.erase.how))
    ? transaction(db, (tx) => allow(tx, options, standing))
    : eraseOtherwise(db, options, standing);
};
