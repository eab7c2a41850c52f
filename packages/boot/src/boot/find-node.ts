/**
 * Which node a machine is, by its UUID, its serial or any of its MACs: booting from another NIC makes no
 * second node (B13). If they name different nodes, one of them lies: none is believed.
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
}

export const findBootNode = async (tx: Tx, identity: BootIdentity): Promise<FoundNode> => {
  const { uuid, serial, mac } = identity;
  // three looks at three indexes: an `or` over them would read every node
  const { rows } = await sql<Match>`
    select id, name, bootenv from node where deleted_at is null and system_uuid = ${uuid}
    union
    select id, name, bootenv from node where deleted_at is null and serial = ${serial}
    union
    select id, name, bootenv from node where deleted_at is null and ${mac}::text is not null and macs @> array[${mac}]::text[]
    limit 2`.execute(tx);
  const [node, other] = rows;
  return other === undefined
    ? { node: node ?? null, contested: false }
    : { node: null, contested: true };
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
