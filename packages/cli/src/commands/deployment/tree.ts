import { deployment_list } from '@hostwright/api/nouns/deployment';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { deploymentColumns } from './columns.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(deployment_list);
  call.out.answer(answer, () =>
    call.out.table(
      deploymentColumns(call.out.paint, (item) => `${'  '.repeat(item.depth)}${item.name}`),
      answer.items,
      'no deployments',
    ),
  );
};
