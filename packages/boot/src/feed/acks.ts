/** Have all boot servers taken what the database says of a node? Two servers at once must both (A5, A6). */
import { transaction, type Db, type Tx } from '@hostwright/engine';
import { sql } from 'kysely';

export interface AckState {
  readonly server: string;
  readonly wanted: number;
  readonly held: number;
  /** All that is to be said of the node at this server, remarks too. */
  readonly error: string | null;
  /** Why the server did not take the version that is wanted now; null: it took it, or has not answered. */
  readonly refused: string | null;
}

export const readAcks = async (db: Db | Tx, nodeId: number): Promise<readonly AckState[]> => {
  const { rows } = await sql<AckState>`
    select s.name as server, coalesce(b.version, 0) as wanted, coalesce(a.version, 0) as held, coalesce(a.error, s.error) as error,
      case when a.version >= b.version then a.refused end as refused
    from boot_server s
    left join node_boot b on b.node_id = ${nodeId}
    left join boot_ack a on a.server_id = s.id and a.node_id = ${nodeId}
    where s.active order by s.name`.execute(db);
  return rows;
};

export const missingAcks = (acks: readonly AckState[]): readonly AckState[] =>
  acks.filter((ack) => ack.held < ack.wanted);

/**
 * Servers that answered for the wanted version, but did not take the node's data. What is merely
 * remarked of the node (a name filter that gives no name, a MAC that is none) was never sent to a
 * server: what was sent it has taken.
 */
export const refusedAcks = (acks: readonly AckState[]): readonly AckState[] =>
  acks.filter((ack) => ack.refused !== null);

/** For a person: which servers refused the node, and what each of them said. */
export const tellRefused = (node: string, refused: readonly AckState[]): string =>
  refused
    .map((ack) => `${ack.server} refused the data of ${node}: ${ack.refused ?? ''}`)
    .join('; ');

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
