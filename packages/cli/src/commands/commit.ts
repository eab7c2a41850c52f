import { snapshot_commit } from '@hostwright/api/nouns/snapshot-commit';
import { connect } from '../connect.ts';
import { Failure } from '../failure.ts';
import { editProposal, findProposal } from '../find-snapshot.ts';
import { followCommit } from '../follow-commit.ts';
import type { Invocation } from '../invocation.ts';

const readConsent = (text: string) => {
  const match = /^([^@:]+)@([^:]+)(?::(.*))?$/.exec(text);
  if (match === null)
    throw new Failure('usage', `${text} is no consent`, { advice: 'write role@node:disk,disk' });
  const [, role = '', node = '', disks = ''] = match;
  return { role, node, disks: disks.split(',').filter((disk) => disk !== '') };
};

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const deployment = call.arg('deployment');
  const plan = call.text('plan');
  const message = call.text('message');
  const rollingLimit = call.number('rolling', { least: 1 });
  const canary = call.number('canary', { least: 1 });
  const stopAfterFailures = call.number('stop-after', { least: 1 });
  const consent = call.many('consent').map(readConsent);
  const body = {
    ...(plan !== undefined && { plan }),
    ...(message !== undefined && { message }),
    ...(rollingLimit !== undefined && { rollingLimit }),
    ...(canary !== undefined && { canary }),
    ...(stopAfterFailures !== undefined && { stopAfterFailures }),
    ...(consent.length > 0 && { consent }),
  };
  const commit = (snapshot: number) => client.call(snapshot_commit, { params: { snapshot }, body });
  // leave to run something again needs no edit, so it needs no proposal to be open either
  const committed =
    consent.length > 0
      ? await editProposal(client, deployment, commit)
      : await commit(await findProposal(client, deployment));
  if (call.flag('watch')) return followCommit(call, client, committed.id);
  call.out.answer(committed, () => {
    call.out.line(`revision ${committed.revision} of ${committed.deployment} is committed`);
    call.out.line(`watch it with \`hostwright watch ${deployment}\``);
  });
};
