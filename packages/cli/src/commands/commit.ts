import { snapshot_commit } from '@hostwright/api/nouns/snapshot-commit';
import { snapshot_plan } from '@hostwright/api/nouns/snapshot-plan';
import { connect } from '../connect.ts';
import { Failure } from '../failure.ts';
import { editProposal, findProposal } from '../find-snapshot.ts';
import { followCommit } from '../follow-commit.ts';
import type { Invocation } from '../invocation.ts';
import { tellErrors, tellLeave, withoutLeave } from '../tell-waiting.ts';

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
  let waiting: ReturnType<typeof withoutLeave> = [];
  const commit = async (snapshot: number) => {
    const params = { snapshot };
    // afterwards nothing lists it any more; a plan that cannot be made is told of by the commit
    const foreseen = call.out.json
      ? undefined
      : await client.call(snapshot_plan, { params }).catch(() => undefined);
    const done = await client.call(snapshot_commit, { params, body });
    if (foreseen !== undefined) waiting = withoutLeave(foreseen, consent);
    return done;
  };
  // leave to run something again needs no edit, so it needs no proposal to be open either
  const committed =
    consent.length > 0
      ? await editProposal(client, deployment, commit)
      : await commit(await findProposal(client, deployment));
  const watch = call.flag('watch');
  if (!watch)
    call.out.answer(committed, () =>
      call.out.line(`revision ${committed.revision} of ${committed.deployment} is committed`),
    );
  tellLeave(call.out, deployment, waiting);
  if (watch) return followCommit(call, client, committed.id);
  await tellErrors(call.out, client, deployment);
  call.out.line(`watch it with \`hostwright watch ${deployment}\``);
};
