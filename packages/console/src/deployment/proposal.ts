/** Editing happens only in a proposal: whoever edits first opens it. */
import { snapshot_bind, snapshot_propose } from '@hostwright/api/nouns/snapshot';
import type { Deployment } from '@hostwright/api/nouns/deployment';
import { send, useChange } from '../session/client.ts';
import { say } from '../ui/toast.tsx';

export const proposalOf = async (deployment: Deployment): Promise<number> => {
  if (deployment.proposedSnapshotId !== null) return deployment.proposedSnapshotId;
  const opened = await send(snapshot_propose, {
    params: { deployment: deployment.name },
    body: {},
  });
  return opened.id;
};

export const useBind = (deployment: Deployment) =>
  useChange(
    async ({ role, nodes }: { readonly role: string; readonly nodes: readonly string[] }) => {
      const snapshot = await proposalOf(deployment);
      return send(snapshot_bind, {
        params: { snapshot },
        body: { bindings: nodes.map((node) => ({ role, node })) },
      });
    },
    {
      onSuccess: (answer, { role, nodes }) =>
        say(
          `${role} bound to ${nodes.length === 1 ? nodes[0] : `${nodes.length} nodes`}`,
          answer.pulledIn.length === 0
            ? 'It is in the proposal; nothing happens before the commit.'
            : `Pulled in with it: ${[...new Set(answer.pulledIn.map((each) => each.role))].join(', ')}. Nothing happens before the commit.`,
        ),
    },
  );
