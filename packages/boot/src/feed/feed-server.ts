/**
 * Brings one DHCP or DNS server up to date and records, per node, which version it has proved to hold.
 * Level-triggered: it asks for what is behind until nothing is. A server that fails keeps its error
 * in its row; other servers are not disturbed.
 */
import { HostwrightError } from '@hostwright/core';
import type { Db } from '@hostwright/engine';
import { sql } from 'kysely';
import { readNodesBehind, type NodeData } from './node-data.ts';
import { asOnlyFeeder } from './one-feeder.ts';
import { recordAnswers } from './record-answers.ts';

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

interface FeedOptions {
  readonly serverId: number;
  readonly driver: BootServerDriver;
}

/** Nodes and the life of the server's data, of one instant. */
const readBatch = (db: Db, serverId: number, after: number) =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const server = await tx
        .selectFrom('boot_server')
        .select('incarnation')
        .where('id', '=', serverId)
        .executeTakeFirst();
      const nodes = await readNodesBehind(tx, { serverId, after, limit: BATCH });
      return { incarnation: server?.incarnation ?? '', nodes };
    });

const noteError = async (db: Db, serverId: number, error: string): Promise<void> => {
  await db.updateTable('boot_server').set({ error }).where('id', '=', serverId).execute();
};

const feed = async (db: Db, { serverId, driver }: FeedOptions): Promise<FeedReport> => {
  const refused: { nodeId: number; error: string }[] = [];
  const later = new Map<number, string>();
  let count = 0;
  // each version once: what cannot be recorded now, because it is being changed, keeps no other waiting
  for (let after = 0; ;) {
    const { incarnation, nodes } = await readBatch(db, serverId, after);
    if (nodes.length === 0) break;
    const version = Math.max(...nodes.map((node) => node.version));
    try {
      const answered = await driver.apply(nodes, version);
      if (!(await recordAnswers(db, { serverId, incarnation, nodes, answered }))) break;
      const applied = answered.filter((one) => one.later !== true);
      await driver.recorded?.(applied);
      count += applied.length;
      for (const { nodeId, error, later: notYet } of answered) {
        if (notYet === true) later.set(nodeId, error ?? '');
        else if (error !== undefined) refused.push({ nodeId, error });
      }
    } catch (error) {
      // a lost connection takes no note, and must not hide why
      const text = error instanceof Error ? error.message : String(error);
      await noteError(db, serverId, text).catch(() => {});
      throw error;
    }
    if (nodes.length < BATCH) break;
    after = version;
  }
  if (later.size > 0) {
    const [nodeId, error] = [...later][0] ?? [0, ''];
    const others = later.size === 1 ? '' : `, and ${later.size - 1} more nodes`;
    const message = `node ${nodeId}: ${error}${others}; all others are current`;
    await noteError(db, serverId, message);
    throw new HostwrightError('unavailable', { message });
  }
  await db
    .updateTable('boot_server')
    .set({ error: null, fed_at: sql<Date>`now()` })
    .where('id', '=', serverId)
    .execute();
  return { applied: count, refused };
};

export const feedServer = (db: Db, options: FeedOptions): Promise<FeedReport> =>
  asOnlyFeeder(db, { serverId: options.serverId }, (own) => feed(own, options));
