/** A proposal that comes to nothing is discarded: left open it would keep everybody else from proposing. */
import { discardSnapshot, proposeSnapshot, type Db } from '@hostwright/engine';

export const inProposal = async <Result>(
  db: Db,
  proposal: { readonly deploymentId: number; readonly actor: string },
  body: (snapshotId: number) => Promise<Result>,
): Promise<Result> => {
  const { id: snapshotId } = await proposeSnapshot(db, proposal);
  try {
    return await body(snapshotId);
  } catch (error) {
    // what went wrong first is what matters; one that was committed or discarded by others is no proposal any more
    await discardSnapshot(db, { snapshotId, actor: proposal.actor }).catch(() => {});
    throw error;
  }
};
