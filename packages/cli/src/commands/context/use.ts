import { readContexts, writeContexts } from '../../context.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';

export const run = (call: Invocation): Promise<void> => {
  const name = call.arg('name');
  const { contexts } = readContexts();
  if (name !== 'local' && contexts[name] === undefined)
    throw new Failure('not_found', `there is no context ${name}`, {
      advice: '`hostwright context list` shows those there are; local is this machine',
    });
  writeContexts({ current: name === 'local' ? null : name, contexts });
  call.out.answer({ current: name }, () => call.out.line(`commands now talk to ${name}`));
  return Promise.resolve();
};
