/** Commands name a deployment; these find the snapshot that is meant. */
import type { Client } from '@hostwright/api';
import { deployment_get } from '@hostwright/api/nouns/deployment';
import { snapshot_list, snapshot_propose, type Snapshot } from '@hostwright/api/nouns/snapshot';
import { Failure } from './failure.ts';

export const findProposal = async (client: Client, deployment: string): Promise<number> => {
  const found = await client.call(deployment_get, { params: { deployment } });
  if (found.proposedSnapshotId === null)
    throw new Failure('not_found', `deployment ${found.name} has no open proposal`, {
      advice: `open one with \`hostwright snapshot propose ${found.name}\``,
    });
  return found.proposedSnapshotId;
};

/** Editing needs a proposal; opening one costs nothing, so the first edit does. */
export const openProposal = async (client: Client, deployment: string): Promise<number> => {
  const found = await client.call(deployment_get, { params: { deployment } });
  if (found.proposedSnapshotId !== null) return found.proposedSnapshotId;
  return (await client.call(snapshot_propose, { params: { deployment } })).id;
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
