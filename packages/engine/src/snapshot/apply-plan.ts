/** The writes of a commit: bindings that the plan completed, noderoles, edges, links, removals, inputs. */
import { sql } from 'kysely';
import { reconsiderInputs } from '../attribs/reconsider-inputs.ts';
import {
  ensureDeploymentRoles,
  insertBindings,
  removeBindings,
} from '../binding/write-bindings.ts';
import type { Tx } from '../db/open.ts';
import { removeNoderoles } from '../noderole/remove-noderoles.ts';
import { startRollout } from '../rollout/start-rollout.ts';
import { giveConsents } from './give-consents.ts';
import type { SnapshotRecord } from './read.ts';
import { wireItems } from './wire-items.ts';
import { connectItems, isRolling, sortItems, writeItems, type Apply } from './write-items.ts';

/** The bindings that were pulled in or fell away since the proposal was last edited. */
const completeBindings = async (tx: Tx, { snapshot, plan }: Apply): Promise<void> => {
  const wanted = new Set(plan.result.items.map((item) => item.bound));
  const unneeded = plan.loaded.own.filter(({ bound }) => !wanted.has(bound));
  await removeBindings(
    tx,
    snapshot,
    unneeded.map(({ row }) => row),
  );
  await insertBindings(
    tx,
    snapshot,
    plan.result.newlyRequired.map(({ bound, reason }) => ({
      roleId: bound.roleId,
      nodeId: bound.nodeId,
      origin: 'required',
      reason,
      data: null,
    })),
  );
  if (plan.result.newlyRequired.length > 0)
    await ensureDeploymentRoles(
      tx,
      snapshot,
      plan.result.newlyRequired.map(({ bound }) => bound.roleId),
    );
};

/**
 * What earlier commits left unfinished goes on under this one; holds of a rollout that nobody
 * advances any more would keep it for ever.
 */
const takeOver = async (tx: Tx, snapshot: SnapshotRecord): Promise<void> => {
  await sql`
    update noderole set snapshot_id = ${snapshot.id}, holds = array(select h from unnest(holds) h where h not in ('rolling', 'halted'))
    where deployment_id = ${snapshot.deploymentId} and state in ('todo', 'blocked', 'transition') and snapshot_id <> ${snapshot.id}`.execute(
    tx,
  );
};

/** A node that gets work in a deployment below its own belongs there from now on. */
const adoptNodes = async (tx: Tx, { snapshot, plan }: Apply): Promise<void> => {
  const up = plan.loaded.chain.slice(1).map((link) => link.id);
  const nodeIds = [...new Set(plan.result.add.map((item) => item.nodeId))].filter((id) => {
    const node = plan.loaded.board.nodes.get(id);
    return node !== undefined && !node.admin && up.includes(node.deploymentId);
  });
  if (nodeIds.length > 0)
    await sql`
      update node set deployment_id = ${snapshot.deploymentId}, revision = revision + 1, updated_at = now()
      where id = any(${nodeIds}::bigint[])`.execute(tx);
};

/** What this commit makes run again belongs to it: to its progress, its canary, its limit. */
const claimReruns = async (
  tx: Tx,
  snapshot: SnapshotRecord,
  ids: readonly number[],
): Promise<void> => {
  if (ids.length > 0)
    await sql`
      update noderole set snapshot_id = ${snapshot.id}
      where id = any(${[...ids]}::bigint[]) and deployment_id = ${snapshot.deploymentId}`.execute(
      tx,
    );
};

export const applyPlan = async (tx: Tx, apply: Apply): Promise<void> => {
  const { snapshot, plan, options } = apply;
  const { result, loaded } = plan;
  const cause = `commit ${snapshot.revision} of ${snapshot.deployment}`;
  await completeBindings(tx, apply);
  await takeOver(tx, snapshot);

  const items = sortItems(result);
  const wiring = await wireItems(tx, {
    fresh: items.fresh,
    written: items.written,
    standingId: (bound) => loaded.elsewhere.get(bound)?.id ?? result.standingAt(bound)?.id,
  });
  await writeItems(tx, apply, { items, wiring, cause });
  await connectItems(tx, apply, { items, wiring });

  const removed = new Set(result.teardown.flatMap((item) => item.noderoleId ?? []));
  if (removed.size > 0)
    await removeNoderoles(tx, { noderoleIds: [...removed], actor: options.actor });
  await adoptNodes(tx, apply);

  const affected = [...plan.affected, ...items.rewired.map(({ bound }) => wiring.idOf(bound))];
  const reconsidered = await reconsiderInputs(tx, {
    noderoleIds: [...new Set(affected)].filter((id) => !removed.has(id)),
    cause,
  });
  await claimReruns(tx, snapshot, reconsidered.rerun);
  await giveConsents(tx, apply, (item) => {
    const found = result.items.find(
      ({ bound }) => bound.roleId === item.roleId && bound.nodeId === item.nodeId,
    );
    return found === undefined ? undefined : wiring.idOf(found.bound);
  });
  if (isRolling(apply) || options.stopAfterFailures !== undefined)
    await startRollout(tx, { snapshotId: snapshot.id });
};
