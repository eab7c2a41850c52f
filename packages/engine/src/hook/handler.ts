/** A barclamp's hooks as one handler of events: its hooks are called in the order of the events. */
import type { NoderoleState } from '@hostwright/core';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import type { Handler } from '../event/handler.ts';
import type { Log } from '../event/log.ts';
import { readHead, type Cursor, type EventRecord } from '../event/read.ts';
import { findNode } from '../node/find.ts';
import { setNodeBootenv } from '../node/set.ts';
import { hookDeliveryLog } from './delivery-log.ts';
import type { HookContext } from './hooks.ts';
import { HOOKS, type HookName } from './kinds.ts';
import type { ThreadedHooks } from './load.ts';
import { refreshRole } from './refresh-role.ts';
import { subjectOf } from './subject.ts';

export interface HookHandlerOptions {
  readonly db: Db;
  readonly barclamp: string;
  readonly hooks: ThreadedHooks;
  readonly log: Log;
  readonly timeLimitMs?: number;
  readonly attemptLimit?: number;
}

const TIME_LIMIT_MS = 60_000;

const names = (hooks: ThreadedHooks): HookName[] =>
  (Object.keys(HOOKS) as HookName[]).filter((name) => hooks.names.has(name));

type Services = Omit<HookContext, 'deliveryId' | 'attempt' | 'signal'>;

/** undefined: the barclamp has no hooks that events could call. */
export const createHookHandler = (options: HookHandlerOptions): Handler | undefined => {
  const { db, barclamp, hooks } = options;
  const own = names(hooks);
  if (own.length === 0) return undefined;
  const handler = `hook.${barclamp}`;
  const limitMs = options.timeLimitMs ?? TIME_LIMIT_MS;
  let roles: ReadonlySet<number> | undefined;
  const hookFor = (event: EventRecord): HookName | undefined =>
    own.find((name) => {
      const hook = HOOKS[name];
      if (hook.event !== event.kind) return false;
      if (!('to' in hook)) return true;
      return event.payload['to'] === (hook.to satisfies NoderoleState);
    });
  return {
    name: handler,
    kinds: [...new Set(own.map((name) => HOOKS[name].event))],
    timeLimitMs: limitMs,
    attemptLimit: options.attemptLimit ?? 12,
    log: hookDeliveryLog(handler),
    start: (from) => placeOfImport(from, barclamp),
    begin: async () => {
      roles = await rolesOf(db, barclamp);
      return 'go';
    },
    wants: (event) => {
      if (hookFor(event) === undefined) return false;
      const role = event.payload['role'];
      if (event.noderoleId === null || roles === undefined) return true;
      return typeof role === 'number' && roles.has(role);
    },
    deliver: async (event, delivery) => {
      const name = hookFor(event);
      if (name === undefined) return;
      const subject = await subjectOf(db, HOOKS[name].subject, event);
      if (subject === undefined) return;
      const services: Services = {
        log: (text) => options.log.info({ barclamp, hook: name, event: event.id }, text),
        findNode: (node) => findNode(db, node),
        refreshRole: (wish) => transaction(db, (tx) => refreshRole(tx, wish)),
        setNodeBootenv: (wish) => transaction(db, (tx) => setNodeBootenv(tx, wish)),
        emit: (wish) =>
          transaction(db, (tx) =>
            emit(tx, {
              kind: 'hook.event',
              nodeId: wish.nodeId,
              payload: { barclamp, ...wish.payload },
            }),
          ),
      };
      const answer = await hooks.call({
        hook: name,
        subject,
        facts: { deliveryId: delivery.id, attempt: delivery.attempt },
        services: { ...services },
        limitMs,
        signal: delivery.signal,
      });
      if (answer.kind === 'failed') throw new Error(answer.error);
      if (answer.kind === 'late') throw new Error(`took longer than ${limitMs / 1000} s`);
    },
  };
};

const rolesOf = async (db: Db, barclamp: string): Promise<ReadonlySet<number>> => {
  const rows = await db
    .selectFrom('role')
    .innerJoin('barclamp', 'barclamp.id', 'role.barclamp_id')
    .select('role.id')
    .where('barclamp.name', '=', barclamp)
    .execute();
  return new Set(rows.map((row) => row.id));
};

/** A new barclamp is told of everything since its first import, also what no process has seen yet. */
const placeOfImport = async (db: Db, barclamp: string): Promise<Cursor> => {
  const row = await db
    .selectFrom('event')
    .innerJoin('event_batch', 'event_batch.id', 'event.batch_id')
    .select(['event_batch.position', 'event.id'])
    .where('event.kind', '=', 'barclamp.imported')
    .where((where) =>
      where(
        where.fn('jsonb_extract_path_text', ['event.payload', where.val('name')]),
        '=',
        barclamp,
      ),
    )
    .where('event_batch.position', 'is not', null)
    .orderBy('event.id')
    .executeTakeFirst();
  return row === undefined || row.position === null
    ? readHead(db)
    : { position: row.position, id: row.id };
};
