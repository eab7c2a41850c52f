/** Editing happens only in a proposal: whoever edits first opens it. */
import { snapshot_bind } from '@hostwright/api/nouns/snapshot-edit';
import { snapshot_discard, snapshot_propose } from '@hostwright/api/nouns/snapshot';
import type { Deployment } from '@hostwright/api/nouns/deployment';
import { send, unchanged, useChange } from '../session/client.ts';
import { say } from '../ui/toast.tsx';

/**
 * Makes an edit in the open proposal, or in a new one. If the edit is refused, a proposal that was
 * opened only for it is discarded again, unless somebody else has edited it meanwhile.
 */
export const inProposal = async <Result>(
  deployment: Deployment,
  edit: (snapshot: number) => Promise<Result>,
): Promise<Result> => {
  if (deployment.proposedSnapshotId !== null) return edit(deployment.proposedSnapshotId);
  const opened = await send(snapshot_propose, {
    params: { deployment: deployment.name },
    body: {},
  });
  try {
    return await edit(opened.id);
  } catch (error) {
    const params = { snapshot: opened.id };
    await send(snapshot_discard, { params }, unchanged({ revision: opened.edits })).catch(() => {});
    throw error;
  }
};

export const useBind = (deployment: Deployment) =>
  useChange(
    ({ role, nodes }: { readonly role: string; readonly nodes: readonly string[] }) =>
      inProposal(deployment, (snapshot) =>
        send(snapshot_bind, {
          params: { snapshot },
          body: { bindings: nodes.map((node) => ({ role, node })) },
        }),
      ),
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
