/** Gives a node its BMC or another hammer. The password is a secret by name: never on a command line. */
import { hammer_delete, hammer_put } from '@hostwright/api/nouns/hammer';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { Failure } from '../../failure.ts';
import { readJsonObject } from '../../read-input.ts';

/** A kind that nothing carries out would be stored, and never act. */
const KINDS = ['ipmi', 'redfish', 'ssh'];

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const params = { node: call.arg('node'), kind: call.arg('kind') };
  if (call.flag('remove')) {
    await client.call(hammer_delete, { params });
    call.out.answer({ deleted: params }, () =>
      call.out.line(`${params.node} has no hammer ${params.kind} any more`),
    );
    return;
  }
  const endpoint = call.text('endpoint');
  const username = call.text('user');
  const secret = call.text('secret');
  const priority = call.number('priority', { least: -1000, most: 1000 });
  const config = call.text('config');
  if (!KINDS.includes(params.kind))
    throw new Failure('usage', `a hammer is one of ${KINDS.join(', ')}, not ${params.kind}`);
  if ([endpoint, username, secret, priority, config].every((given) => given === undefined))
    throw new Failure('usage', 'nothing to set', { advice: 'say at least --endpoint' });
  const hammer = await client.call(hammer_put, {
    params,
    body: {
      ...(endpoint !== undefined && { endpoint }),
      ...(username !== undefined && { username }),
      ...(secret !== undefined && { secret: secret === '' ? null : secret }),
      ...(priority !== undefined && { priority }),
      ...(config !== undefined && { config: readJsonObject(config, '--config') }),
    },
  });
  call.out.answer(hammer, () => {
    call.out.line(`${params.node} has the hammer ${hammer.kind} at ${hammer.endpoint}`);
    call.out.line(`see that it answers with \`hostwright node act ${params.node} power-status\``);
  });
};
