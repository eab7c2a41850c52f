/**
 * The number of the first machine that the rack of `up` does not have: two simulators that run the
 * same machine would take turns to be refused. `up` numbers its rack from 0 and labels it so. What
 * the machines are called does not count: number and seed make a machine, not its name.
 */
import type { Client } from '@hostwright/api';
import { node_list } from '@hostwright/api/nouns/node';

export const RACK_LABEL = 'simulated=yes';

export const findFirstFree = async (client: Client): Promise<number> => {
  const query = { label: [RACK_LABEL], limit: 1, count: true };
  const { total } = await client.call(node_list, { query });
  return total ?? 0;
};
