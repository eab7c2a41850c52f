import { node_bulk } from '@hostwright/api/nouns/node-bulk';
import { HostwrightError } from '@hostwright/core';
import {
  deleteNode,
  listNoderoles,
  needDeploymentId,
  needNode,
  retryNoderoles,
  updateNode,
  type Db,
  type NodeChanges,
} from '@hostwright/engine';
import { asHostwrightError } from '../http/problem.ts';
import { refuse } from '../http/refuse.ts';
import { route, type Call } from '../http/route.ts';

type Body = Call<typeof node_bulk>['body'];

interface Result {
  readonly ref: string;
  readonly id: number | null;
  readonly ok: boolean;
  readonly code?: string;
  readonly message?: string;
}

const change = async (
  db: Db,
  node: string,
  changes: NodeChanges,
  actor: string,
): Promise<number> => {
  const done = await updateNode(db, { node, changes, actor });
  if (!done.ok) throw refuse(done.refusals);
  return done.node.id;
};

const retry = async (db: Db, node: string, actor: string): Promise<number> => {
  const { id } = await needNode(db, node);
  const failed = await listNoderoles(db, {
    filter: { node: [String(id)], state: ['error'] },
    limit: 1000,
  });
  if (failed.items.length === 0)
    throw new HostwrightError('conflict', { message: 'nothing of it is in error' });
  const done = await retryNoderoles(db, {
    noderoleIds: failed.items.map((item) => item.id),
    actor,
  });
  if (done.retried.length === 0)
    throw new HostwrightError('conflict', {
      message: done.skipped[0]?.reason ?? 'nothing could be retried',
    });
  return id;
};

const remove = async (
  db: Db,
  node: string,
  abandon: boolean | undefined,
  actor: string,
): Promise<number> => {
  const { id } = await needNode(db, node);
  const done = await deleteNode(db, { node: id, abandon, actor });
  if (!done.ok) throw refuse(done.refusals, 'in_use');
  return id;
};

const actOn = (db: Db, body: Body, node: string, actor: string): Promise<number> => {
  if (body.action === 'labels') return change(db, node, { labels: body.labels }, actor);
  if (body.action === 'available') return change(db, node, { available: body.available }, actor);
  if (body.action === 'move') return change(db, node, { deployment: body.deployment }, actor);
  if (body.action === 'retry') return retry(db, node, actor);
  return remove(db, node, body.abandon, actor);
};

/** Few at once: a bulk action must leave connections for everybody else. */
const AT_ONCE = 4;

export const nodeBulkRoutes = () => [
  route(node_bulk, async ({ body, caller, context }) => {
    const { db } = context;
    if (body.action === 'move') await needDeploymentId(db, body.deployment);
    const nodes = [...new Set(body.nodes)];
    const results: Result[] = [];
    const queue = nodes.entries();
    const work = async () => {
      for (const [index, ref] of queue) {
        try {
          results[index] = { ref, id: await actOn(db, body, ref, caller.name), ok: true };
        } catch (error) {
          const known = asHostwrightError(error);
          // what failed inside would fail for all: the caller must know that it is not about this node
          if (known.status >= 500) throw error;
          results[index] = { ref, id: null, ok: false, code: known.code, message: known.message };
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const ok = results.filter((result) => result.ok).length;
    return { results, ok, failed: results.length - ok };
  }),
];
