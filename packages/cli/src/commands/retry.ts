import type { Client } from '@hostwright/api';
import { deployment_list } from '@hostwright/api/nouns/deployment';
import { node_bulk } from '@hostwright/api/nouns/node-bulk';
import { noderole_retry_bulk } from '@hostwright/api/nouns/noderole';
import { connect } from '../connect.ts';
import { Failure } from '../failure.ts';
import { findNoderole } from '../find-noderole.ts';
import type { Invocation } from '../invocation.ts';
import { showBulk, type BulkResult } from '../show-bulk.ts';

const retryAll = async (client: Client): Promise<BulkResult> => {
  const { items } = await client.call(deployment_list);
  const parts: BulkResult[] = [];
  for (const deployment of items.filter((item) => item.noderoles.error > 0))
    parts.push(await client.call(noderole_retry_bulk, { body: { deployment: deployment.name } }));
  return {
    results: parts.flatMap((part) => part.results),
    ok: parts.reduce((sum, part) => sum + part.ok, 0),
    failed: parts.reduce((sum, part) => sum + part.failed, 0),
  };
};

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const named = call.manyArgs('noderoles');
  const role = call.text('role');
  const deployment = call.text('deployment');
  const node = call.text('node');
  const ask = async (): Promise<BulkResult> => {
    if (call.flag('all')) return retryAll(client);
    if (node !== undefined)
      return client.call(node_bulk, { body: { action: 'retry', nodes: [node] } });
    if (role !== undefined)
      return client.call(noderole_retry_bulk, {
        body: { role, ...(deployment !== undefined && { deployment }) },
      });
    if (deployment !== undefined) return client.call(noderole_retry_bulk, { body: { deployment } });
    if (named.length === 0)
      throw new Failure('usage', 'nothing to retry was named', {
        advice: 'give noderoles, --role, --deployment, --node or --all',
      });
    const found = await Promise.all(named.map((text) => findNoderole(client, text)));
    return client.call(noderole_retry_bulk, { body: { noderoles: found.map(({ id }) => id) } });
  };
  showBulk(call.out, await ask(), 'put back to run again');
};
