/**
 * A jig as a handler of events: told of nodes that come, change and go, and, when it is switched
 * on, of every node that is there already. A jig that is off is told nothing.
 */
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import type { Handler } from '../event/handler.ts';
import { readHead, type EventRecord } from '../event/read.ts';
import { hookDeliveryLog } from '../hook/delivery-log.ts';
import type { Jig, RunNode } from '../jig.ts';
import { backfill } from './backfill.ts';

const jigHandlerName = (jig: string): string => `jig.${jig}`;

const CALLS = {
  'node.created': 'nodeCreate',
  'node.changed': 'nodeUpdate',
  'node.deleted': 'nodeDelete',
} as const;

const callFor = (event: EventRecord) =>
  Object.hasOwn(CALLS, event.kind) ? CALLS[event.kind as keyof typeof CALLS] : undefined;

/** undefined: the jig does not care for nodes. */
export const createJigHandler = (options: {
  readonly db: Db;
  readonly jig: Jig;
  readonly timeLimitMs?: number;
  readonly attemptLimit?: number;
}): Handler | undefined => {
  const { db, jig } = options;
  if (!jig.nodeCreate && !jig.nodeUpdate && !jig.nodeDelete) return undefined;
  const name = jigHandlerName(jig.name);
  return {
    name,
    kinds: [...Object.keys(CALLS), 'jig.changed'],
    timeLimitMs: options.timeLimitMs ?? 60_000,
    attemptLimit: options.attemptLimit ?? 12,
    log: hookDeliveryLog(name),
    start: (from) => readHead(from),
    begin: async (signal) => {
      const row = await db
        .selectFrom('jig')
        .select('active')
        .where('name', '=', jig.name)
        .executeTakeFirst();
      if (row?.active !== true) return 'rest';
      return (await backfill(db, { jig, signal })) ? 'go' : 'again';
    },
    // jig.changed only wakes: `begin` finds what is owed.
    wants: (event) =>
      event.kind === 'jig.changed'
        ? event.payload['name'] === jig.name
        : callFor(event) !== undefined,
    deliver: async (event) => {
      const call = callFor(event);
      if (call === undefined || event.nodeId === null) return;
      const node = await readRunNode(db, event.nodeId);
      if (node !== undefined) await jig[call]?.(node);
    },
  };
};

const readRunNode = async (db: Db, id: number): Promise<RunNode | undefined> =>
  db
    .selectFrom('node')
    .select(['id', 'name', 'admin', 'boot_id as bootId', 'boot_epoch as bootEpoch'])
    .where('id', '=', id)
    .executeTakeFirst();

/** Owes the jig every node there is now. Events from here on tell it of the rest. */
export const oweNodes = async (tx: Tx, jig: string): Promise<void> => {
  const head = await readHead(tx);
  await sql`
    insert into jig_backfill (jig, last_node_id)
    select ${jig}, coalesce(max(id), 0) from node
    on conflict (jig) do update set next_node_id = 0, last_node_id = excluded.last_node_id, started_at = now(), done_at = null`.execute(
    tx,
  );
  const place = { position: head.position, event_id: head.id };
  await tx
    .insertInto('event_reader')
    .values({ name: jigHandlerName(jig), ...place })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(place))
    .execute();
};
