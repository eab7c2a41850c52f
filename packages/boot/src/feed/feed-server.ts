/**
 * Brings one DHCP or DNS server up to date and records, per node, which version it has proved to hold.
 * Level-triggered: it asks for what is behind until nothing is. A server that fails keeps its error
 * in its row; other servers are not disturbed.
 */
import { HostwrightError } from '@hostwright/core';
import { transaction, type Db } from '@hostwright/engine';
import { sql } from 'kysely';
import { tellRun } from '../install/tell-run.ts';
import { readNodesBehind, type NodeData } from './node-data.ts';

export interface AppliedNode {
  readonly nodeId: number;
  /** How the daemon showed that it has taken the version. */
  readonly evidence: string;
  /** The server did not take the node's data: why. */
  readonly error?: string;
  /** It was not taken, for a reason that may pass: it is not acknowledged, and tried again. */
  readonly later?: true;
}

/** A way to feed one kind of daemon. Returns only after the daemon has proved what it holds. */
export interface BootServerDriver {
  readonly kind: 'dnsmasq' | 'kea' | 'bind';
  apply(nodes: readonly NodeData[], version: number): Promise<readonly AppliedNode[]>;
  /** What `apply` said of these nodes is in the database now: until then a worker may have died with it. */
  recorded?(nodes: readonly AppliedNode[]): Promise<void>;
}

export interface FeedReport {
  readonly applied: number;
  readonly refused: readonly { readonly nodeId: number; readonly error: string }[];
}

const BATCH = 2000;

const acknowledge = async (
  db: Db,
  serverId: number,
  nodes: readonly NodeData[],
  applied: readonly AppliedNode[],
): Promise<void> => {
  const byNode = new Map(applied.map((one) => [one.nodeId, one]));
  const rows = nodes.flatMap((node) => {
    const one = byNode.get(node.nodeId);
    const errors = [...node.errors, ...(one?.error === undefined ? [] : [one.error])];
    return one === undefined
      ? []
      : [
          {
            server_id: serverId,
            node_id: node.nodeId,
            version: node.version,
            evidence: one.evidence,
            error: errors.length > 0 ? errors.join('; ') : null,
            refused: one.error ?? null,
          },
        ];
  });
  if (rows.length === 0) return;
  await sql`
    insert into boot_ack (server_id, node_id, version, evidence, error, refused)
    select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) r(server_id bigint, node_id bigint, version bigint, evidence text, error text, refused text)
    on conflict (server_id, node_id) do update
      set version = excluded.version, evidence = excluded.evidence, error = excluded.error, refused = excluded.refused, at = now()
      where boot_ack.version <= excluded.version`.execute(db);
  // installations that wait for this look again; each decides by itself whether all have answered
  await transaction(db, async (tx) => {
    const waiting = await tx
      .selectFrom('os_install')
      .select('run_id')
      .where('phase', '=', 'acks')
      .where(
        'node_id',
        'in',
        rows.map((row) => row.node_id),
      )
      .execute();
    for (const { run_id: runId } of waiting)
      await tellRun(tx, { runId, payload: { kind: 'acks' } });
  });
};

/** Not acknowledged: the version it holds stays, and why the next one was not taken stands beside it. */
const noteLater = async (
  db: Db,
  serverId: number,
  later: readonly AppliedNode[],
): Promise<void> => {
  if (later.length === 0) return;
  const rows = later.map(({ nodeId, error }) => ({ node_id: nodeId, error: error ?? '' }));
  await sql`
    insert into boot_ack (server_id, node_id, version, error)
    select ${serverId}, r.node_id, 0, r.error from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) r(node_id bigint, error text)
    on conflict (server_id, node_id) do update set error = excluded.error, at = now()`.execute(db);
};

export const feedServer = async (
  db: Db,
  options: { readonly serverId: number; readonly driver: BootServerDriver },
): Promise<FeedReport> => {
  const refused: { nodeId: number; error: string }[] = [];
  const later = new Map<number, string>();
  let count = 0;
  for (;;) {
    const nodes = await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((tx) => readNodesBehind(tx, { serverId: options.serverId, limit: BATCH }));
    if (nodes.length === 0) break;
    const version = Math.max(...nodes.map((node) => node.version));
    try {
      const answered = await options.driver.apply(nodes, version);
      const notYet = answered.filter((one) => one.later === true);
      for (const { nodeId, error } of notYet) later.set(nodeId, error ?? '');
      await noteLater(db, options.serverId, notYet);
      const applied = answered.filter((one) => one.later !== true);
      await acknowledge(db, options.serverId, nodes, applied);
      await options.driver.recorded?.(applied);
      count += applied.length;
      refused.push(
        ...applied.flatMap(({ nodeId, error }) => (error === undefined ? [] : [{ nodeId, error }])),
      );
      if (applied.length === 0) break;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      await db
        .updateTable('boot_server')
        .set({ error: text })
        .where('id', '=', options.serverId)
        .execute();
      throw error;
    }
    if (nodes.length < BATCH) break;
  }
  if (later.size > 0) {
    const [nodeId, error] = [...later][0] ?? [0, ''];
    const others = later.size === 1 ? '' : `, and ${later.size - 1} more nodes`;
    const message = `node ${nodeId}: ${error}${others}; all others are current`;
    await db
      .updateTable('boot_server')
      .set({ error: message })
      .where('id', '=', options.serverId)
      .execute();
    throw new HostwrightError('unavailable', { message });
  }
  await db
    .updateTable('boot_server')
    .set({ error: null, fed_at: sql<Date>`now()` })
    .where('id', '=', options.serverId)
    .execute();
  return { applied: count, refused };
};
