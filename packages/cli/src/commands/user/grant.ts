import { ROLES } from '@hostwright/api';
import { user_grants } from '@hostwright/api/nouns/user';
import { connect } from '../../connect.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';

const readGrant = (text: string) => {
  const [deployment = '', word = ''] = text.split('=');
  const role = ROLES.find((known) => known === word);
  if (deployment === '' || role === undefined)
    throw new Failure('usage', `${text} is no grant`, {
      advice: `write deployment=${ROLES.join('|')}`,
    });
  return { deployment, role };
};

export const run = async (call: Invocation): Promise<void> => {
  const user = await connect(call).call(user_grants, {
    params: { user: call.arg('user') },
    body: { grants: call.manyArgs('grants').map(readGrant) },
  });
  call.out.answer(user, () =>
    call.out.line(
      `${user.name}: ${user.role}; ${user.grants.map((grant) => `${grant.role} in ${grant.deployment}`).join(', ') || 'no grants'}`,
    ),
  );
};
