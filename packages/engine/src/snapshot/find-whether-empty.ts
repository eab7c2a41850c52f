/**
 * Whether a commit would make a revision that says nothing new: no noderole would be touched, and
 * the proposal holds what the last revision holds. Data of a role that is bound nowhere touches no
 * noderole and is a change all the same.
 */
import { sameJson } from '@hostwright/core';
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { diffSnapshots } from './diff.ts';
import type { LoadedPlan } from './load-plan.ts';
import type { SnapshotRecord } from './read.ts';

export const findWhetherEmpty = async (
  tx: Tx,
  { snapshot, plan }: { readonly snapshot: SnapshotRecord; readonly plan: LoadedPlan },
): Promise<boolean> => {
  const { result, rerunBelow } = plan;
  const touched = [result.add, result.change, result.rerun, result.teardown, rerunBelow];
  if (touched.some((items) => items.length > 0)) return false;
  const { rows } = await sql<{ revision: number; state: string }>`
    select revision, state from snapshot
    where deployment_id = ${snapshot.deploymentId} and revision < ${snapshot.revision}
    order by revision desc limit 1`.execute(tx);
  // what a recall stopped goes on with the next commit
  if (rows[0]?.state === 'recalled') return false;
  const { bindings, roles, data } = await diffSnapshots(tx, {
    deploymentId: snapshot.deploymentId,
    from: rows[0]?.revision ?? 0,
    to: snapshot.revision,
  });
  const lists = [bindings, roles].flatMap((part) => [part.added, part.removed, part.changed]);
  const sameData = data === null || sameJson(data.before, data.after);
  return sameData && lists.every((list) => list.length === 0);
};
