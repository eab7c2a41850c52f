import { deployment_list } from '@hostwright/api/nouns/deployment';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { deploymentColumns } from './columns.ts';

export const run = async (call: Invocation): Promise<void> => {
  const search = call.text('search');
  const answer = await connect(call).call(deployment_list, {
    query: search === undefined ? {} : { q: search },
  });
  call.out.answer(answer, () =>
    call.out.table(deploymentColumns(call.out.paint), answer.items, 'no such deployments'),
  );
};
