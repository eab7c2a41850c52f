import {
  deployment_create,
  deployment_delete,
  deployment_get,
  deployment_list,
  deployment_patch,
} from '@hostwright/api/nouns/deployment';
import {
  createDeployment,
  deleteDeployment,
  listDeployments,
  needDeploymentId,
  readDeploymentView,
  updateDeployment,
} from '@hostwright/engine';
import { needRoleIn } from '../access/caller.ts';
import type { OperationShape } from '@hostwright/api';
import { route, type Call } from '../http/route.ts';

const show = async (call: Pick<Call<OperationShape>, 'context' | 'etag'>, ref: string | number) => {
  const deployment = await readDeploymentView(call.context.db, ref);
  call.etag(deployment.revision);
  return deployment;
};

export const deploymentRoutes = () => [
  route(deployment_list, async ({ query, context }) => ({
    items: await listDeployments(context.db, {
      q: query.q,
      under:
        query.under === undefined ? undefined : await needDeploymentId(context.db, query.under),
    }),
  })),
  route(deployment_create, async (call) => {
    const { context, body, caller } = call;
    const parentId =
      body.parent === undefined ? undefined : await needDeploymentId(context.db, body.parent);
    const made = await createDeployment(context.db, { ...body, parentId, actor: caller.name });
    return show(call, made.id);
  }),
  route(deployment_get, async (call) => show(call, call.params.deployment)),
  route(deployment_patch, async (call) => {
    const { context, body, caller } = call;
    const parentId =
      body.parent === undefined ? undefined : await needDeploymentId(context.db, body.parent);
    if (parentId !== undefined)
      await needRoleIn(context.db, caller, { deploymentId: parentId, role: 'operator' });
    const deploymentId = await needDeploymentId(context.db, call.params.deployment);
    await updateDeployment(context.db, {
      ...body,
      deploymentId,
      parentId,
      revision: call.ifMatch,
      actor: caller.name,
    });
    return show(call, deploymentId);
  }),
  route(deployment_delete, async ({ context, params, caller }) => {
    const deploymentId = await needDeploymentId(context.db, params.deployment);
    await deleteDeployment(context.db, { deploymentId, actor: caller.name });
    return undefined;
  }),
];
