import {
  noderole_attribs,
  noderole_cancel,
  noderole_consent,
  noderole_edges,
  noderole_get,
  noderole_list,
  noderole_refresh,
  noderole_retry,
  noderole_retry_bulk,
  noderole_why,
} from '@hostwright/api/nouns/noderole';
import type { OperationShape } from '@hostwright/api';
import { nameDisks } from '@hostwright/boot';
import { HostwrightError } from '@hostwright/core';
import {
  cancelRun,
  explainAttribs,
  explainNoderole,
  grantConsent,
  listNeighbours,
  listNoderoles,
  needDeploymentId,
  readNoderoleView,
  readRoleView,
  requestRefresh,
  retryNoderoles,
  transaction,
  type Db,
  type RetryScope,
} from '@hostwright/engine';
import { chooseFields } from '../http/fields.ts';
import { route, type Call } from '../http/route.ts';

const show = async (call: Pick<Call<OperationShape>, 'context' | 'etag'>, id: number) => {
  const noderole = await readNoderoleView(call.context.db, id);
  call.etag(noderole.revision);
  return noderole;
};

const LARGE_FIELDS = ['data', 'wall'];

const reads = [
  route(noderole_list, async ({ query, context }) => {
    const { cursor, limit, fields, sort, ...filter } = query;
    const large = fields?.some((field) => LARGE_FIELDS.includes(field)) ?? false;
    const page = await listNoderoles(context.db, { cursor, limit, sort, filter, large });
    return { items: chooseFields(page.items, fields, LARGE_FIELDS), next: page.next };
  }),
  route(noderole_get, async (call) => show(call, call.params.noderole)),
  route(noderole_why, async ({ params, context }) => explainNoderole(context.db, params.noderole)),
  route(noderole_edges, async ({ params, context }) => {
    await readNoderoleView(context.db, params.noderole);
    return listNeighbours(context.db, params.noderole);
  }),
  route(noderole_attribs, async ({ params, query, context }) => {
    const { attribs, values, declared } = await explainAttribs(context.db, {
      noderoleId: params.noderole,
    });
    if (query.explain === false) return { attribs, items: [], declared: [] };
    return { attribs, items: values, declared };
  }),
];

type RetryBody = Call<typeof noderole_retry_bulk>['body'];

const retryScope = async (db: Db, body: RetryBody): Promise<RetryScope> => {
  if ('noderoles' in body) return { noderoleIds: body.noderoles };
  const deploymentId =
    body.deployment === undefined ? undefined : await needDeploymentId(db, body.deployment);
  if ('role' in body) return { roleId: (await readRoleView(db, body.role)).id, deploymentId };
  return { deploymentId: await needDeploymentId(db, body.deployment) };
};

const actions = [
  route(noderole_retry, async (call) => {
    const id = call.params.noderole;
    await readNoderoleView(call.context.db, id);
    const done = await retryNoderoles(call.context.db, {
      noderoleIds: [id],
      actor: call.caller.name,
    });
    const skipped = done.skipped[0];
    if (skipped !== undefined) throw new HostwrightError('conflict', { message: skipped.reason });
    return show(call, id);
  }),
  route(noderole_retry_bulk, async ({ body, caller, context }) => {
    const { db } = context;
    const done = await retryNoderoles(db, { ...(await retryScope(db, body)), actor: caller.name });
    return {
      results: [
        ...done.retried.map((id) => ({ ref: String(id), id, ok: true })),
        ...done.skipped.map(({ noderoleId, reason }) => ({
          ref: String(noderoleId),
          id: noderoleId,
          ok: false,
          code: 'conflict',
          message: reason,
        })),
      ],
      ok: done.retried.length,
      failed: done.skipped.length,
    };
  }),
  route(noderole_cancel, async (call) => {
    const { runId } = await readNoderoleView(call.context.db, call.params.noderole);
    if (runId === null)
      throw new HostwrightError('conflict', { message: 'it holds no run that could be cancelled' });
    await cancelRun(call.context.db, { runId, actor: call.caller.name });
    return show(call, call.params.noderole);
  }),
  route(noderole_refresh, async (call) => {
    const noderole = await readNoderoleView(call.context.db, call.params.noderole);
    if (noderole.state !== 'active')
      throw new HostwrightError('conflict', {
        message: `it is ${noderole.state}; only what is active can be refreshed`,
      });
    if (noderole.destructive)
      throw new HostwrightError('conflict', {
        message: 'it is destructive: it is never refreshed',
      });
    await transaction(call.context.db, (tx) =>
      requestRefresh(tx, { noderoleIds: [noderole.id], cause: `refresh by ${call.caller.name}` }),
    );
    return show(call, noderole.id);
  }),
  route(noderole_consent, async (call) => {
    const { inputHash } = call.body;
    const noderole = await readNoderoleView(call.context.db, call.params.noderole);
    const disks = (await nameDisks(call.context.db, noderole, call.body.disks)) ?? call.body.disks;
    await grantConsent(call.context.db, {
      noderoleId: call.params.noderole,
      ...(inputHash === undefined ? {} : { inputHash }),
      ...(disks === undefined ? {} : { disks }),
      actor: call.caller.name,
    });
    return show(call, call.params.noderole);
  }),
];

export const noderoleRoutes = () => [...reads, ...actions];
