import { readContexts, writeContexts } from '../../context.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';

export const run = (call: Invocation): Promise<void> => {
  const name = call.arg('name');
  const { current, contexts } = readContexts();
  const { [name]: gone, ...rest } = contexts;
  if (gone === undefined) throw new Failure('not_found', `there is no context ${name}`);
  writeContexts({ current: current === name ? null : current, contexts: rest });
  call.out.answer({ deleted: name }, () => call.out.line(`context ${name} is forgotten`));
  return Promise.resolve();
};
