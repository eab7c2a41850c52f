/** A noderole is named by its id, as `node/role`, or as `role@node`: plans and `--consent` say it so. */
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

interface NamedNoderole {
  readonly node: string;
  readonly role: string;
}

/** Neither the name of a node nor that of a role can hold `/` or `@`. */
export const readNoderoleName = (text: string): NamedNoderole | undefined => {
  const [, node, role] = /^([^/@]+)\/([^/@]+)$/.exec(text) ?? [];
  if (node !== undefined && role !== undefined) return { node, role };
  const [, before, after] = /^([^/@]+)@([^/@]+)$/.exec(text) ?? [];
  if (before !== undefined && after !== undefined) return { node: after, role: before };
  return undefined;
};

export const findNoderole = async (client: Client, text: string): Promise<FoundNoderole> => {
  if (/^\d+$/.test(text)) return client.call(noderole_get, { params: { noderole: Number(text) } });
  const named = readNoderoleName(text);
  if (named === undefined)
    throw new Failure('usage', `${text} is no noderole`, {
      advice: 'give its id, node/role such as web-1/ntp-client, or role@node',
    });
  const { node, role } = named;
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
