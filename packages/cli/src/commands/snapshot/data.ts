import { deployment_data, deployment_role_data } from '@hostwright/api/nouns/deployment-data';
import { deployment_get } from '@hostwright/api/nouns/deployment';
import { snapshot_data, snapshot_role_put } from '@hostwright/api/nouns/snapshot-edit';
import { connect } from '../../connect.ts';
import { editProposal } from '../../find-snapshot.ts';
import type { Invocation } from '../../invocation.ts';
import { tellErrors } from '../../tell-waiting.ts';
import { readJsonObject } from '../../read-input.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const deployment = call.arg('deployment');
  const data = readJsonObject(call.arg('json'), 'the data');
  const role = call.text('role');
  const { system } = await client.call(deployment_get, { params: { deployment } });
  if (system) {
    const set =
      role === undefined
        ? await client.call(deployment_data, { params: { deployment }, body: { data } })
        : await client.call(deployment_role_data, { params: { deployment, role }, body: { data } });
    call.out.answer(set, () =>
      call.out.line(
        set.changed
          ? `data of ${role ?? deployment} is in force as revision ${set.revision}; ${set.rerun === 1 ? '1 noderole runs' : `${set.rerun} noderoles run`} again`
          : `data of ${role ?? deployment} was that already`,
      ),
    );
    if (set.changed) await tellErrors(call.out, client, deployment);
    return;
  }
  const answer = await editProposal(client, deployment, (snapshot) =>
    role === undefined
      ? client.call(snapshot_data, { params: { snapshot }, body: { data } })
      : client.call(snapshot_role_put, { params: { snapshot, role }, body: { data } }),
  );
  call.out.answer(answer, () =>
    call.out.line(`data of ${role ?? deployment} is set in revision ${answer.revision}`),
  );
};
