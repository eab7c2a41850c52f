/**
 * Keeps the wish to erase a machine after its teardowns, with the disks as they were named; or takes
 * it back. Whoever carries it out reads it from the database: nothing of it is in memory.
 */
import type { Disk } from '@hostwright/core';
import { emit, type Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { ERASE_ROLE } from '../install/plan-erase.ts';

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

/**
 * Leave that was given to erase these machines, and that no run has used: one that is switched off would
 * be erased when it is switched on again. Returns the disks it was for, by node. Leave that this very
 * transaction gave stays.
 */
export const withdrawLeave = async (
  tx: Tx,
  { nodeIds, only }: { readonly nodeIds: readonly number[]; readonly only?: 'released' },
): Promise<ReadonlyMap<number, readonly string[]>> => {
  const { rows } = await sql<{ nodeId: number; disks: string[] }>`
    delete from consent c using noderole w, role r, deployment d
    where w.id = c.noderole_id and r.id = w.role_id and d.id = w.deployment_id and r.name = ${ERASE_ROLE}
      and w.node_id = any(${[...nodeIds]}::bigint[]) and c.used_by_run is null and c.xmin <> pg_current_xact_id()::xid
      and (${only ?? null}::text is null or d.name = ${only ?? null}::text)
    returning w.node_id as "nodeId", c.disks`.execute(tx);
  return new Map(rows.map((row) => [row.nodeId, row.disks]));
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
  // after the wish: whoever turns it into leave holds it until that is done
  const leave = await withdrawLeave(tx, { nodeIds: [nodeId] });
  const disks = leave.get(nodeId) ?? (old?.failed === null ? old.serials : undefined);
  if (disks === undefined) return;
  const payload = { state: 'withdrawn', disks: [...disks], actor };
  await emit(tx, { kind: 'node.erasure', nodeId, payload });
};
