/**
 * Keeps the wish to erase a machine after its teardowns, with the disks as they were named; or takes
 * it back. Whoever carries it out reads it from the database: nothing of it is in memory.
 */
import type { Disk } from '@hostwright/core';
import { emit, type Tx } from '@hostwright/engine';
import { sql } from 'kysely';

/** A leave to erase does not wait for ever for a machine that does not answer. */
const PATIENCE_SECONDS = 86_400;

export const askErase = async (
  tx: Tx,
  wish: {
    readonly nodeId: number;
    readonly actor: string;
    readonly how: 'quick' | 'full';
    readonly disks: readonly Disk[];
  },
): Promise<void> => {
  await sql`
    insert into node_release (node_id, asked_by, deadline_at, how, serials, bytes)
    values (${wish.nodeId}, ${wish.actor}, now() + ${PATIENCE_SECONDS} * interval '1 second', ${wish.how},
      ${wish.disks.map((disk) => disk.serial ?? disk.name)}::text[], ${wish.disks.map((disk) => disk.bytes ?? 0)}::bigint[])
    on conflict (node_id) do update set asked_by = excluded.asked_by, asked_at = excluded.asked_at, deadline_at = excluded.deadline_at,
      how = excluded.how, serials = excluded.serials, bytes = excluded.bytes, waits_for = '', failed = null`.execute(
    tx,
  );
  await emit(tx, {
    kind: 'node.erasure',
    nodeId: wish.nodeId,
    payload: {
      state: 'waiting',
      disks: wish.disks.map((disk) => disk.serial ?? disk.name),
      actor: wish.actor,
    },
  });
};

/** Whoever asks for a release replaces what was asked before. */
export const withdrawErase = async (
  tx: Tx,
  { nodeId, actor }: { readonly nodeId: number; readonly actor: string },
): Promise<void> => {
  const old = await tx
    .deleteFrom('node_release')
    .where('node_id', '=', nodeId)
    .returning(['serials', 'failed'])
    .executeTakeFirst();
  if (old === undefined || old.failed !== null) return;
  const payload = { state: 'withdrawn', disks: old.serials, actor };
  await emit(tx, { kind: 'node.erasure', nodeId, payload });
};
