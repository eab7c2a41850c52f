/**
 * Adds what a machine said of itself to what is known of it. What another live node has is not
 * taken from it: a card may have moved, or the machine may lie; people are told once per change.
 * The caller holds the locks of the identity.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { emit } from '../event/emit.ts';
import type { Identity } from './identity.ts';

export const learnIdentity = async (
  tx: Tx,
  options: { readonly nodeId: number; readonly identity: Identity },
): Promise<void> => {
  const { nodeId, identity } = options;
  const { rows: contested } = await sql<{ key: string; node: string }>`
    select m.mac as key, n.name as node from unnest(${[...identity.macs]}::text[]) m(mac)
    join node n on n.macs @> array[m.mac] and n.deleted_at is null and n.id <> ${nodeId}
    union all
    select system_uuid, name from node
    where system_uuid = ${identity.system_uuid}::text and deleted_at is null and id <> ${nodeId}`.execute(
    tx,
  );
  const taken = new Set(contested.map((other) => other.key));
  const macs = identity.macs.filter((mac) => !taken.has(mac));
  const uuid =
    identity.system_uuid === null || taken.has(identity.system_uuid) ? null : identity.system_uuid;
  await sql`
    update node set
      system_uuid = coalesce(system_uuid, ${uuid}::text),
      serial = coalesce(${identity.serial}::text, serial),
      macs = array(select distinct m from unnest(macs || ${macs}::text[]) m order by m),
      revision = revision + 1, updated_at = now()
    where id = ${nodeId} and (
      (system_uuid is null and ${uuid}::text is not null)
      or (${identity.serial}::text is not null and serial is distinct from ${identity.serial}::text)
      or not macs @> ${macs}::text[])`.execute(tx);
  if (contested.length > 0) await tellOnce(tx, nodeId, contested);
};

const tellOnce = async (
  tx: Tx,
  nodeId: number,
  contested: readonly { readonly key: string; readonly node: string }[],
): Promise<void> => {
  const payload = { contested: contested.map(({ key, node }) => ({ key, node })) };
  const { rows } = await sql<{ told: boolean }>`
    select coalesce((select payload from event where node_id = ${nodeId} and kind = 'node.conflict' order by id desc limit 1)
      = ${JSON.stringify(payload)}::jsonb, false) as told`.execute(tx);
  if (rows[0]?.told !== true) await emit(tx, { kind: 'node.conflict', nodeId, payload });
};
