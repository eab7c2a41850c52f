/**
 * Which node a machine is. UUID, then serial, then any MAC: booting from another NIC makes no second
 * node (B13). If UUID and MAC name different nodes, one of them lies: neither is believed.
 */
import type { Db, Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import type { BootIdentity } from './read-request.ts';

export interface FoundNode {
  readonly node: { readonly id: number; readonly name: string; readonly bootenv: string } | null;
  readonly contested: boolean;
}

interface Match {
  readonly id: number;
  readonly name: string;
  readonly bootenv: string;
  readonly by_uuid: boolean;
  readonly by_serial: boolean;
  readonly by_mac: boolean;
}

export const findBootNode = async (tx: Tx, identity: BootIdentity): Promise<FoundNode> => {
  const { rows } = await sql<Match>`
    select id, name, bootenv,
           coalesce(system_uuid = ${identity.uuid}, false) as by_uuid,
           coalesce(serial = ${identity.serial}, false) as by_serial,
           macs @> array[${identity.mac}]::text[] as by_mac
    from node
    where deleted_at is null and (
      id in (select id from node where system_uuid = ${identity.uuid} and deleted_at is null)
      or id in (select id from node where ${identity.mac}::text is not null and macs @> array[${identity.mac}]::text[] and deleted_at is null))`.execute(
    tx,
  );
  const byUuid = rows.find((row) => row.by_uuid);
  const byMac = rows.filter((row) => row.by_mac);
  if (byMac.length > 1) return { node: null, contested: true };
  const mac = byMac[0];
  if (byUuid !== undefined && mac !== undefined && byUuid.id !== mac.id)
    return { node: null, contested: true };
  return { node: byUuid ?? mac ?? null, contested: false };
};

/** For whoever knows a machine by its UUID: a lab, a BMC. */
export const findNodeByUuid = async (db: Db, uuid: string): Promise<number | undefined> => {
  const row = await db
    .selectFrom('node')
    .select('id')
    .where('system_uuid', '=', uuid)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row?.id;
};
