/** Bundles hold attributes, and those may hold secrets: at rest they are sealed, like secrets. */
import { createHash } from 'node:crypto';
import { createMasker, type Masker } from '../secret/mask.ts';
import type { Tx } from '../db/open.ts';
import { isSealedBy, seal, unseal, type MasterKey } from '../secret/seal.ts';

const bundleOf = (runId: number): string => `bundle of run ${runId}`;
const masksOf = (runId: number): string => `masks of run ${runId}`;

export interface SealedBundle {
  readonly bundle: Buffer;
  readonly sha256: string;
  readonly masks?: Buffer;
}

export const sealBundle = (
  master: MasterKey,
  content: { readonly runId: number; readonly tar: Buffer; readonly secrets: readonly string[] },
): SealedBundle => {
  const { runId, tar, secrets } = content;
  return {
    bundle: seal(master, bundleOf(runId), tar.toString('base64')),
    sha256: createHash('sha256').update(tar).digest('hex'),
    ...(secrets.length > 0 && { masks: seal(master, masksOf(runId), JSON.stringify(secrets)) }),
  };
};

export const openBundle = (master: MasterKey, runId: number, sealed: Buffer): Buffer =>
  Buffer.from(unseal(master, bundleOf(runId), sealed), 'base64');

/** What takes the run's secrets out of its log and its result. */
export const openMasks = (master: MasterKey, runId: number, sealed: Buffer | null): Masker =>
  createMasker(
    sealed === null ? [] : (JSON.parse(unseal(master, masksOf(runId), sealed)) as string[]),
  );

/** Under another key: a run that the agent has not fetched yet must still open. */
export const resealBundles = async (
  tx: Tx,
  keys: { readonly from: MasterKey; readonly to: MasterKey },
): Promise<void> => {
  const tasks = await tx
    .selectFrom('agent_task')
    .select(['run_id', 'token', 'action', 'bundle', 'masks'])
    .where((row) => row.or([row('bundle', 'is not', null), row('masks', 'is not', null)]))
    .forUpdate()
    .execute();
  const again = (name: string, sealed: Buffer | null): Buffer | null =>
    sealed === null || isSealedBy(keys.to, sealed)
      ? sealed
      : seal(keys.to, name, unseal(keys.from, name, sealed));
  for (const { run_id: runId, token, action, bundle, masks } of tasks)
    await tx
      .updateTable('agent_task')
      .set({ bundle: again(bundleOf(runId), bundle), masks: again(masksOf(runId), masks) })
      .where('run_id', '=', runId)
      .where('token', '=', token)
      .where('action', '=', action)
      .execute();
};
