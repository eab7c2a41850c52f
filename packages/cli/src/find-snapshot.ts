/** Commands name a deployment; these find the snapshot that is meant. */
import type { Client } from '@hostwright/api';
import { deployment_get } from '@hostwright/api/nouns/deployment';
import {
  snapshot_discard,
  snapshot_list,
  snapshot_propose,
  type Snapshot,
} from '@hostwright/api/nouns/snapshot';
import { Failure } from './failure.ts';

export const findProposal = async (client: Client, deployment: string): Promise<number> => {
  const found = await client.call(deployment_get, { params: { deployment } });
  if (found.system)
    throw new Failure('refused', 'the system deployment is never proposed or committed', {
      advice:
        'it bootstraps and discovers by itself; `hostwright snapshot data system` sets its data',
    });
  if (found.proposedSnapshotId === null)
    throw new Failure('not_found', `deployment ${found.name} has no open proposal`, {
      advice: `open one with \`hostwright snapshot propose ${found.name}\``,
    });
  return found.proposedSnapshotId;
};

/**
 * Editing needs a proposal, so the first edit opens one. An edit that is refused leaves none behind
 * that it opened itself; one that somebody else has edited meanwhile stays.
 */
export const editProposal = async <Result>(
  client: Client,
  deployment: string,
  /** An edit in several steps says after each that it is made: then all of them are taken back. */
  edit: (snapshot: number, made: () => void) => Promise<Result>,
): Promise<Result> => {
  const found = await client.call(deployment_get, { params: { deployment } });
  let edits = 0;
  const made = () => void edits++;
  if (found.proposedSnapshotId !== null) return edit(found.proposedSnapshotId, made);
  const { id } = await client.call(snapshot_propose, { params: { deployment } });
  try {
    return await edit(id, made);
  } catch (error) {
    // the refusal is what the caller must hear, whatever becomes of this
    await client
      .call(snapshot_discard, { params: { snapshot: id } }, { ifMatch: `"${edits}"` })
      .catch(() => undefined);
    throw error;
  }
};

export const findCommitted = async (client: Client, deployment: string): Promise<number> => {
  const found = await client.call(deployment_get, { params: { deployment } });
  if (found.committedSnapshotId === null)
    throw new Failure('not_found', `nothing was committed in deployment ${found.name} yet`);
  return found.committedSnapshotId;
};

export const findRevision = async (
  client: Client,
  deployment: string,
  revision: number,
): Promise<Snapshot> => {
  let cursor: string | undefined;
  do {
    const page = await client.call(snapshot_list, {
      params: { deployment },
      query: { limit: 1000, ...(cursor !== undefined && { cursor }) },
    });
    const found = page.items.find((item) => item.revision === revision);
    if (found !== undefined) return found;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  throw new Failure('not_found', `deployment ${deployment} has no revision ${revision}`);
};
