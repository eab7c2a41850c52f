import { deployment_diff, deployment_rollback } from '@hostwright/api/nouns/deployment-history';
import {
  snapshot_bind,
  snapshot_binding_data,
  snapshot_data,
  snapshot_role_delete,
  snapshot_role_put,
  snapshot_unbind,
} from '@hostwright/api/nouns/snapshot-edit';
import {
  snapshot_commit,
  snapshot_progress,
  snapshot_recall,
} from '@hostwright/api/nouns/snapshot-commit';
import {
  snapshot_content,
  snapshot_discard,
  snapshot_get,
  snapshot_list,
  snapshot_propose,
} from '@hostwright/api/nouns/snapshot';
import { snapshot_plan } from '@hostwright/api/nouns/snapshot-plan';
import type { OperationShape } from '@hostwright/api';
import { bootAdviser } from '@hostwright/boot';
import {
  addDeploymentRole,
  bindRoles,
  commitSnapshot,
  decodeCursor,
  diffSnapshots,
  discardSnapshot,
  encodeCursor,
  listSnapshots,
  needDeploymentId,
  planSnapshot,
  proposeSnapshot,
  readHead,
  readProgress,
  readSnapshot,
  readSnapshotContent,
  recallSnapshot,
  removeDeploymentRole,
  rollbackDeployment,
  setBindingData,
  setDeploymentData,
  unbindRoles,
} from '@hostwright/engine';
import { chooseFields } from '../http/fields.ts';
import { refuse } from '../http/refuse.ts';
import { route, type Call } from '../http/route.ts';
import { cursorText } from './event.ts';

/** A proposal's ETag counts its edits. */
const show = async (call: Pick<Call<OperationShape>, 'context' | 'etag'>, id: number) => {
  const snapshot = await readSnapshot(call.context.db, id);
  call.etag(snapshot.edits);
  return snapshot;
};

const edit = (call: {
  readonly params: { readonly snapshot: number };
  readonly caller: { readonly name: string };
  readonly ifMatch: number | undefined;
}) => ({
  snapshotId: call.params.snapshot,
  edits: call.ifMatch,
  actor: call.caller.name,
});

const timeLine = [
  route(snapshot_list, async ({ params, query, context }) => {
    const deploymentId = await needDeploymentId(context.db, params.deployment);
    const limit = query.limit ?? 100;
    const rows = await listSnapshots(context.db, {
      deploymentId,
      before: decodeCursor('snapshot', query.cursor)?.id,
      limit: limit + 1,
    });
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return {
      items: chooseFields(items, query.fields),
      next:
        rows.length > limit && last !== undefined
          ? encodeCursor('snapshot', last.revision, last.revision)
          : null,
    };
  }),
  route(snapshot_propose, async (call) => {
    const deploymentId = await needDeploymentId(call.context.db, call.params.deployment);
    const made = await proposeSnapshot(call.context.db, {
      deploymentId,
      message: call.body?.message,
      actor: call.caller.name,
    });
    return show(call, made.id);
  }),
  route(deployment_rollback, async (call) => {
    const deploymentId = await needDeploymentId(call.context.db, call.params.deployment);
    const made = await rollbackDeployment(call.context.db, {
      deploymentId,
      toRevision: call.body.revision,
      actor: call.caller.name,
    });
    return show(call, made.id);
  }),
  route(deployment_diff, async ({ params, query, context }) =>
    diffSnapshots(context.db, {
      deploymentId: await needDeploymentId(context.db, params.deployment),
      from: query.from,
      to: query.to,
    }),
  ),
  route(snapshot_get, async (call) => show(call, call.params.snapshot)),
  route(snapshot_content, async ({ params, context }) =>
    readSnapshotContent(context.db, params.snapshot),
  ),
  route(snapshot_discard, async (call) => {
    await discardSnapshot(call.context.db, edit(call));
    return undefined;
  }),
];

const edits = [
  route(snapshot_bind, async (call) => {
    const done = await bindRoles(call.context.db, { ...edit(call), bindings: call.body.bindings });
    if (done.refusals.length > 0) throw refuse(done.refusals);
    return { bound: done.bound, pulledIn: done.pulledIn };
  }),
  route(snapshot_unbind, async (call) => {
    const done = await unbindRoles(call.context.db, {
      ...edit(call),
      bindings: call.body.bindings,
    });
    if (done.refusals.length > 0) throw refuse(done.refusals);
    return { unbound: done.unbound, alsoUnbound: done.alsoUnbound, stays: done.stays };
  }),
  route(snapshot_binding_data, async (call) => {
    const { role, node } = call.params;
    await setBindingData(call.context.db, { ...edit(call), role, node, data: call.body.data });
    return show(call, call.params.snapshot);
  }),
  route(snapshot_role_put, async (call) => {
    const { role } = call.params;
    await addDeploymentRole(call.context.db, { ...edit(call), role, data: call.body.data });
    return show(call, call.params.snapshot);
  }),
  route(snapshot_role_delete, async (call) => {
    await removeDeploymentRole(call.context.db, { ...edit(call), role: call.params.role });
    return undefined;
  }),
  route(snapshot_data, async (call) => {
    await setDeploymentData(call.context.db, { ...edit(call), data: call.body.data });
    return show(call, call.params.snapshot);
  }),
];

/** Who tells of disks, addresses and boots. */
const ADVISERS = [bootAdviser];

const doing = [
  route(snapshot_plan, async ({ params, context }) =>
    planSnapshot(context.db, params.snapshot, ADVISERS),
  ),
  route(snapshot_commit, async (call) => {
    const { plan, ...wishes } = call.body ?? {};
    const done = await commitSnapshot(call.context.db, {
      ...edit(call),
      planHash: plan,
      ...wishes,
      advisers: ADVISERS,
    });
    return show(call, done.snapshot.id);
  }),
  route(snapshot_recall, async (call) => {
    const opened = await recallSnapshot(call.context.db, {
      snapshotId: call.params.snapshot,
      running: call.body?.running,
      actor: call.caller.name,
    });
    return show(call, opened.proposal.id);
  }),
  route(snapshot_progress, async ({ params, context }) => ({
    // before the counts: following the events from here on misses nothing
    position: cursorText(await readHead(context.db)),
    ...(await readProgress(context.db, params.snapshot)),
  })),
];

export const snapshotRoutes = () => [...timeLine, ...edits, ...doing];
