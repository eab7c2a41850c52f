import { deployment_get } from '@hostwright/api/nouns/deployment';
import { snapshot_content, snapshot_get } from '@hostwright/api/nouns/snapshot';
import { connect } from '../../connect.ts';
import { Failure } from '../../failure.ts';
import { findRevision } from '../../find-snapshot.ts';
import type { Invocation } from '../../invocation.ts';
import { paintState } from '../../paint.ts';
import { harmless, showFields } from '../../show-fields.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const deployment = call.arg('deployment');
  const revision = call.number('revision', { least: 1 });
  const found = await client.call(deployment_get, { params: { deployment } });
  const id =
    revision !== undefined
      ? (await findRevision(client, deployment, revision)).id
      : (found.proposedSnapshotId ?? found.committedSnapshotId);
  if (id === null) throw new Failure('not_found', `deployment ${found.name} has no snapshots yet`);
  const params = { snapshot: id };
  const [snapshot, content] = await Promise.all([
    client.call(snapshot_get, { params }),
    client.call(snapshot_content, { params }),
  ]);
  const { out } = call;
  out.answer({ ...snapshot, content }, () => {
    showFields(out, [
      ['snapshot', `revision ${snapshot.revision} of ${snapshot.deployment} (id ${snapshot.id})`],
      ['state', paintState(out.paint, snapshot.state)],
      ['message', snapshot.message],
      ['made', `${snapshot.createdAt} by ${snapshot.createdBy}`],
      [
        'committed',
        snapshot.committedAt === null ? '' : `${snapshot.committedAt} by ${snapshot.committedBy}`,
      ],
      ['halted', snapshot.haltedReason],
      ['data', harmless(content.data)],
      ['roles', content.roles.map((role) => role.role).join(' ')],
    ]);
    out.line();
    out.table(
      [
        { title: 'ROLE', cell: (item) => item.role },
        { title: 'NODE', cell: (item) => item.node },
        { title: 'DATA', cell: (item) => harmless(item.data) },
        { title: 'WHY', cell: (item) => (item.origin === 'operator' ? 'asked for' : item.reason) },
      ],
      content.bindings,
      'nothing is bound in it',
    );
  });
};
