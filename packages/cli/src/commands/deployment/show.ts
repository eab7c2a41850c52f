import { deployment_get } from '@hostwright/api/nouns/deployment';
import { deployment_role_list } from '@hostwright/api/nouns/deployment-data';
import { deployment_why } from '@hostwright/api/nouns/deployment-explain';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { paintState } from '../../paint.ts';
import { harmless, showFields } from '../../show-fields.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const params = { deployment: call.arg('deployment') };
  const [deployment, roles, why] = await Promise.all([
    client.call(deployment_get, { params }),
    client.call(deployment_role_list, { params }),
    client.call(deployment_why, { params }),
  ]);
  const { out } = call;
  out.answer({ ...deployment, roles: roles.items, why }, () => {
    showFields(out, [
      [
        'deployment',
        `${deployment.name} (id ${deployment.id})${deployment.paused ? ', paused' : ''}`,
      ],
      ['', deployment.description],
      ['why', why.sentence],
      ['to do', why.causes[0]?.command],
      ['nodes', deployment.nodes],
      [
        'noderoles',
        Object.entries(deployment.noderoles)
          .filter(([, count]) => count > 0)
          .map(([state, count]) => `${count} ${paintState(out.paint, state)}`)
          .join(', '),
      ],
      ['revision', deployment.committedRevision],
      [
        'proposal',
        deployment.proposedSnapshotId === null
          ? ''
          : `open (snapshot ${deployment.proposedSnapshotId})`,
      ],
    ]);
    out.line();
    out.table(
      [
        { title: 'ROLE', cell: (role) => role.role },
        { title: 'NODES', cell: (role) => role.bindings, right: true },
        { title: 'DATA', cell: (role) => harmless(role.data) },
      ],
      roles.items,
      'no roles yet; `hostwright snapshot bind` adds some',
    );
  });
};
