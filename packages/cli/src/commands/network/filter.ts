import { name_filter_delete, name_filter_put } from '@hostwright/api/nouns/name-filter';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { Failure } from '../../failure.ts';
import { readLabels } from '../../read-input.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const params = { filter: call.arg('filter') };
  if (call.flag('remove')) {
    await client.call(name_filter_delete, { params });
    call.out.answer({ deleted: params.filter }, () =>
      call.out.line(`name filter ${params.filter} is deleted`),
    );
    return;
  }
  const template = call.text('template');
  const priority = call.number('priority', { least: 0 });
  if (template === undefined || priority === undefined)
    throw new Failure('usage', 'a name filter needs --template and --priority');
  const answer = await client.call(name_filter_put, {
    params,
    body: { template, priority, matcher: readLabels(call.many('match')) },
  });
  call.out.answer(answer, () => call.out.line(`name filter ${answer.name} is set`));
};
