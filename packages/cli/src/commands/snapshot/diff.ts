import { deployment_diff } from '@hostwright/api/nouns/deployment-history';
import { snapshot_get, snapshot_list } from '@hostwright/api/nouns/snapshot';
import type { Client } from '@hostwright/api';
import { connect } from '../../connect.ts';
import { Failure } from '../../failure.ts';
import { findProposal } from '../../find-snapshot.ts';
import type { Invocation } from '../../invocation.ts';
import { harmless } from '../../show-fields.ts';

const readRevision = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0)
    throw new Failure('usage', `${text} is no revision`, {
      advice: '`snapshot history` numbers them',
    });
  return value;
};

/** Without numbers: what the open proposal changes. */
const proposedChange = async (client: Client, deployment: string) => {
  const snapshot = await findProposal(client, deployment);
  const { revision } = await client.call(snapshot_get, { params: { snapshot } });
  const history = await client.call(snapshot_list, {
    params: { deployment },
    query: { limit: 100 },
  });
  const committed = history.items.find((item) => item.state === 'committed');
  return { from: committed?.revision ?? 0, to: revision };
};

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const deployment = call.arg('deployment');
  const from = call.optionalArg('from');
  const to = call.optionalArg('to');
  if (from !== undefined && to === undefined)
    throw new Failure('usage', 'give both revisions, or none');
  const query =
    from !== undefined && to !== undefined
      ? { from: readRevision(from), to: readRevision(to) }
      : await proposedChange(client, deployment);
  const diff = await client.call(deployment_diff, { params: { deployment }, query });
  const { out } = call;
  out.answer(diff, () => {
    const { bindings, roles, data } = diff;
    const lines = [
      ...roles.added.map((role) => out.paint('green', `+ role ${role}`)),
      ...roles.removed.map((role) => out.paint('red', `- role ${role}`)),
      ...roles.changed.map((item) =>
        out.paint(
          'yellow',
          `~ role ${item.role}: ${harmless(item.before)} -> ${harmless(item.after)}`,
        ),
      ),
      ...bindings.added.map((item) => out.paint('green', `+ ${item.role} on ${item.node}`)),
      ...bindings.removed.map((item) => out.paint('red', `- ${item.role} on ${item.node}`)),
      ...bindings.changed.map((item) => out.paint('yellow', `~ ${item.role} on ${item.node}`)),
      ...(data === null
        ? []
        : [out.paint('yellow', `~ data: ${harmless(data.before)} -> ${harmless(data.after)}`)]),
    ];
    out.line(`revision ${diff.from} -> ${diff.to}`);
    for (const line of lines) out.line(line);
    if (lines.length === 0) out.line('no difference');
  });
};
