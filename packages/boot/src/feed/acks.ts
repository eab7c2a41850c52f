/** Have all boot servers taken what the database says of a node? Two servers at once must both (A5, A6). */
import { transaction, type Db, type Tx } from '@hostwright/engine';
import { sql } from 'kysely';

export interface AckState {
  readonly server: string;
  readonly wanted: number;
  readonly held: number;
  readonly error: string | null;
}

export const readAcks = async (db: Db | Tx, nodeId: number): Promise<readonly AckState[]> => {
  const { rows } = await sql<AckState>`
    select s.name as server, coalesce(b.version, 0) as wanted, coalesce(a.version, 0) as held, coalesce(a.error, s.error) as error
    from boot_server s
    left join node_boot b on b.node_id = ${nodeId}
    left join boot_ack a on a.server_id = s.id and a.node_id = ${nodeId}
    where s.active order by s.name`.execute(db);
  return rows;
};

export const missingAcks = (acks: readonly AckState[]): readonly AckState[] =>
  acks.filter((ack) => ack.held < ack.wanted);

export const registerBootServer = async (
  db: Db,
  server: {
    readonly name: string;
    readonly kind: 'dnsmasq' | 'kea' | 'bind';
    readonly nodeId?: number;
    readonly noderoleId?: number;
    readonly folder?: string;
    /** The noderole that starts it again. */
    readonly serverNoderoleId?: number;
    readonly host?: string;
    /** Which life its data is in: in another one it holds nothing of what was acknowledged. */
    readonly incarnation?: string;
  },
): Promise<number> => {
  const values = {
    kind: server.kind,
    node_id: server.nodeId ?? null,
    folder: server.folder ?? '',
    active: true,
    server_noderole_id: server.serverNoderoleId ?? null,
    host: server.host ?? '',
    incarnation: server.incarnation ?? '',
    ...(server.noderoleId !== undefined && { noderole_id: server.noderoleId }),
  };
  return transaction(db, async (tx) => {
    const old = await tx
      .selectFrom('boot_server')
      .select(['id', 'incarnation'])
      .where('name', '=', server.name)
      .forUpdate()
      .executeTakeFirst();
    if (old !== undefined && old.incarnation !== values.incarnation)
      await tx.deleteFrom('boot_ack').where('server_id', '=', old.id).execute();
    const { id } = await tx
      .insertInto('boot_server')
      .values({ name: server.name, ...values })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  });
};
