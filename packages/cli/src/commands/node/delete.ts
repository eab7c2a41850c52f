import { node_bulk } from '@hostwright/api/nouns/node-bulk';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { showBulk } from '../../show-bulk.ts';

export const run = async (call: Invocation): Promise<void> => {
  const nodes = [...call.manyArgs('nodes')];
  const abandon = call.flag('abandon');
  const result = await connect(call).call(node_bulk, {
    body: { action: 'delete', nodes, ...(abandon && { abandon }) },
  });
  showBulk(call.out, result, 'deleted');
};
