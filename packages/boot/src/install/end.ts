/**
 * Leaves nothing behind of an installation that ended badly: no open intent, no hold on the node, and
 * a boot environment that writes to no disk. A disk that was not touched may still boot.
 */
import { setNodeAlive, setNodeBootenv, type Tx } from '@hostwright/engine';
import { voidIntents } from '../intent/open-intent.ts';

export const cleanUpInstall = async (
  tx: Tx,
  options: { readonly nodeId: number; readonly runId: number; readonly reason: string },
): Promise<void> => {
  // only its own: the machine may hold one for discovery already, on its way there
  await voidIntents(tx, options);
  await setNodeBootenv(tx, { nodeId: options.nodeId, bootenv: 'discovery' });
  const node = await tx
    .selectFrom('node')
    .select('alive_hold')
    .where('id', '=', options.nodeId)
    .executeTakeFirst();
  if (node !== undefined && node.alive_hold !== null) {
    await setNodeAlive(tx, {
      nodeId: options.nodeId,
      alive: false,
      reason: options.reason,
      hold: false,
    });
  }
};
