import {
  deployment_create,
  deployment_delete,
  deployment_get,
  deployment_list,
  deployment_patch,
  deployment_pause,
  deployment_resume,
} from '@hostwright/api/nouns/deployment';
import {
  deployment_data,
  deployment_role_data,
  deployment_role_list,
} from '@hostwright/api/nouns/deployment-data';
import {
  deployment_explain_binding,
  deployment_why,
} from '@hostwright/api/nouns/deployment-explain';
import {
  createDeployment,
  deleteDeployment,
  explainBinding,
  explainDeployment,
  listDeploymentRoles,
  listDeployments,
  needDeploymentId,
  pauseDeployment,
  readDeploymentView,
  resumeDeployment,
  setSystemData,
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
  route(deployment_delete, async ({ context, params, caller, ifMatch }) => {
    const deploymentId = await needDeploymentId(context.db, params.deployment);
    await deleteDeployment(context.db, { deploymentId, revision: ifMatch, actor: caller.name });
    return undefined;
  }),
  route(deployment_data, async ({ context, params, body, caller }) => {
    const deploymentId = await needDeploymentId(context.db, params.deployment);
    return setSystemData(context.db, { deploymentId, data: body.data, actor: caller.name });
  }),
  route(deployment_role_data, async ({ context, params, body, caller }) => {
    const deploymentId = await needDeploymentId(context.db, params.deployment);
    const { role } = params;
    return setSystemData(context.db, { deploymentId, role, data: body.data, actor: caller.name });
  }),
  route(deployment_pause, async (call) => {
    const deploymentId = await needDeploymentId(call.context.db, call.params.deployment);
    await pauseDeployment(call.context.db, { deploymentId, actor: call.caller.name });
    return show(call, deploymentId);
  }),
  route(deployment_resume, async (call) => {
    const deploymentId = await needDeploymentId(call.context.db, call.params.deployment);
    await resumeDeployment(call.context.db, { deploymentId, actor: call.caller.name });
    return show(call, deploymentId);
  }),
  route(deployment_why, async ({ params, context }) =>
    explainDeployment(context.db, await needDeploymentId(context.db, params.deployment)),
  ),
  route(deployment_role_list, async ({ params, query, context }) =>
    listDeploymentRoles(context.db, {
      deploymentId: await needDeploymentId(context.db, params.deployment),
      revision: query.revision,
    }),
  ),
  route(deployment_explain_binding, async ({ params, body, context }) => ({
    roles: await explainBinding(context.db, {
      deploymentId: await needDeploymentId(context.db, params.deployment),
      nodes: body.nodes,
      roles: body.roles,
    }),
  })),
];
