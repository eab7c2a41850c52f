import { node_patch } from '@hostwright/api/nouns/node';
import { connect } from '../../connect.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';
import { readJsonObject } from '../../read-input.ts';

export const run = async (call: Invocation): Promise<void> => {
  const hint = call.text('hint');
  if (call.flag('available') && call.flag('unavailable'))
    throw new Failure('usage', '--available and --unavailable exclude each other');
  const texts = Object.fromEntries(
    ['name', 'description', 'deployment', 'bootenv'].flatMap((option) => {
      const value = call.text(option);
      return value === undefined ? [] : [[option, value] as const];
    }),
  );
  const body = {
    ...texts,
    ...(call.flag('available') && { available: true }),
    ...(call.flag('unavailable') && { available: false }),
    ...(hint !== undefined && { hint: readJsonObject(hint, '--hint') }),
  };
  if (Object.keys(body).length === 0)
    throw new Failure('usage', 'nothing to change was given', {
      advice: 'add --help to see what can be set',
    });
  const node = await connect(call).call(node_patch, { params: { node: call.arg('node') }, body });
  call.out.answer(node, () => call.out.line(`node ${node.name} is changed`));
};
