/** A noderole is named by its id, or as `node/role`. */
import type { Client } from '@hostwright/api';
import { noderole_get, noderole_list } from '@hostwright/api/nouns/noderole';
import { Failure } from './failure.ts';

export interface FoundNoderole {
  readonly id: number;
  readonly node: string;
  readonly role: string;
  readonly runId: number | null;
  readonly lastRunId: number | null;
}

export const findNoderole = async (client: Client, text: string): Promise<FoundNoderole> => {
  if (/^\d+$/.test(text)) return client.call(noderole_get, { params: { noderole: Number(text) } });
  const [node, role, ...rest] = text.split('/');
  if (!node || !role || rest.length > 0)
    throw new Failure('usage', `${text} is no noderole`, {
      advice: 'give its id, or node/role such as web-1/ntp-client',
    });
  const { items } = await client.call(noderole_list, { query: { node, role, limit: 1 } });
  const found = items[0];
  if (found === undefined)
    throw new Failure('not_found', `role ${role} is not bound to node ${node}`);
  return found;
};

/** Its live run, or the last one it had. */
export const findRun = async (client: Client, text: string): Promise<number> => {
  if (/^\d+$/.test(text)) return Number(text);
  const noderole = await findNoderole(client, text);
  const run = noderole.runId ?? noderole.lastRunId;
  if (run === null) throw new Failure('not_found', `${text} has not run yet`);
  return run;
};
