/**
 * Boots a machine into the rescue system, once. No noderole: a rescue leaves nothing behind, and a
 * boot intent is used once; what is bound to the machine is not touched. The machine is restarted only
 * after every boot server has shown that it knows (invariant 7); if they do not, nothing has happened.
 */
import { HostwrightError, type Refusal } from '@hostwright/core';
import { needNode, setNodeBootenv, transaction, type Db } from '@hostwright/engine';
import { sql } from 'kysely';
import { missingAcks, readAcks, refusedAcks, tellRefused } from '../feed/acks.ts';
import { askBootOnce, voidIntent } from '../intent/ask-once.ts';
import { recordBootEvent } from '../recorder/record.ts';
import type { Restart } from '../install/transition.ts';

export interface RescueOptions {
  readonly node: string;
  readonly actor: string;
  readonly restart: (nodeId: number) => Promise<Restart>;
  /** Resolves when it is worth looking again, at the latest after a moment. */
  readonly pause: () => Promise<void>;
  /** How often to look before giving up. */
  readonly looks?: number;
}

export interface Rescued {
  readonly intentId: number;
  readonly restarted: boolean;
  readonly text: string;
}

export type RescueResult =
  | { readonly ok: true; readonly rescued: Rescued }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

const SECONDS = 3600;

export const rescueNode = async (db: Db, options: RescueOptions): Promise<RescueResult> => {
  const begun = await transaction(db, async (tx) => {
    const node = await needNode(tx, options.node);
    if (node.admin)
      return {
        ok: false as const,
        refusals: [{ code: 'conflict', path: 'node', message: 'the admin node is not rescued' }],
      };
    const asked = await askBootOnce(tx, {
      node: options.node,
      bootenv: 'rescue',
      seconds: SECONDS,
    });
    if (!asked.ok) return asked;
    const local = node.bootenv === 'local';
    // some servers offer a loader only to nodes that are not to boot from their disk
    if (local) await setNodeBootenv(tx, { nodeId: node.id, bootenv: 'rescue' });
    // a refusal is of the data as it was then: the server is asked once more
    if (refusedAcks(await readAcks(tx, node.id)).length > 0)
      await sql`select bump_node_boot(array[${node.id}]::bigint[])`.execute(tx);
    return { ok: true as const, nodeId: node.id, local, intentId: asked.intent.id };
  });
  if (!begun.ok) return begun;
  const { nodeId, intentId } = begun;
  let acks = await readAcks(db, nodeId);
  const isOpen = () => missingAcks(acks).length > 0 && refusedAcks(acks).length === 0;
  for (let look = 0; isOpen() && look < (options.looks ?? 40); look++) {
    await options.pause();
    acks = await readAcks(db, nodeId);
  }
  const missing = missingAcks(acks);
  const refused = refusedAcks(acks);
  if (missing.length + refused.length > 0) {
    await transaction(db, async (tx) => {
      await voidIntent(tx, { id: intentId, actor: options.actor });
      if (begun.local) await setNodeBootenv(tx, { nodeId, bootenv: 'local' });
    });
    throw new HostwrightError('unavailable', {
      message:
        refused.length > 0
          ? `nothing was done: ${tellRefused(options.node, refused)}`
          : `nothing was done: ${missing.map((ack) => ack.server).join(', ')} did not show in time that the new boot configuration is known`,
    });
  }
  const restarted = await options.restart(nodeId);
  const text = restarted.ok
    ? `reset: ${restarted.how}, into rescue, for ${options.actor}`
    : `refused: ${restarted.reasons.join('; ') || 'no hammer can restart it'}`;
  await transaction(db, (tx) => recordBootEvent(tx, { nodeId, kind: 'power', text }));
  return { ok: true, rescued: { intentId, restarted: restarted.ok, text } };
};
