/** The value comes from standard input only: a command line is seen by every process of the machine. */
import { secret_put } from '@hostwright/api/nouns/secret';
import { connect } from '../../connect.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';
import { readStdin } from '../../read-input.ts';

export const run = async (call: Invocation): Promise<void> => {
  if (process.stdin.isTTY) call.out.note('value (then Ctrl-D):');
  const value = await readStdin();
  if (value === '')
    throw new Failure('usage', 'no value came on standard input', {
      advice: 'give it like `hostwright secret set NAME < file`',
    });
  const params = { secret: call.arg('name') };
  const stored = await connect(call).call(secret_put, { params, body: { value } });
  call.out.answer(stored, () => call.out.line(`secret ${stored.name} is stored, sealed`));
};
