/**
 * Carries events to handlers through pg-boss: one queue per handler with at most one job at work
 * on it anywhere, a heartbeat that hands a dead process's job to another, and delays between
 * attempts. The job only says "look": what is to be delivered is found from the handler's place,
 * so a job too many or too few changes nothing, and a tick finds what a lost wake left behind.
 */
import { PgBoss } from 'pg-boss';
import type { Database } from '../db/open.ts';
import type { EventFeed } from './feed.ts';
import { matches } from './filter.ts';
import type { Handler } from './handler.ts';
import type { Log } from './log.ts';
import { readPlace } from './place.ts';
import { pump } from './pump.ts';
import type { EventPage } from './read.ts';
import type { Subscription } from './subscriber.ts';

export interface Carrier {
  /** The handlers from now on: new ones are started, missing ones stopped. */
  setHandlers(handlers: readonly Handler[]): Promise<void>;
  stop(): Promise<void>;
}

export interface CarrierOptions {
  readonly database: Database;
  readonly feed: EventFeed;
  readonly log: Log;
  /** How often every handler is looked at, whether something was heard or not. */
  readonly tickMs?: number;
}

const SCHEMA = 'pgboss';
const FOR_EVER = 1_000_000; // attempts are counted per event, not per job

const openBoss = async (options: CarrierOptions): Promise<PgBoss> => {
  const boss = new PgBoss({
    db: {
      executeSql: async (text, values) => {
        const result = await options.database.pool.query(text, values);
        // Several statements in one text give several results.
        return Array.isArray(result) ? { rows: result.at(-1)?.rows ?? [] } : { rows: result.rows };
      },
    },
    schema: SCHEMA,
    schedule: false,
    monitorIntervalSeconds: 2,
    superviseIntervalSeconds: 2,
  });
  boss.on('error', (error) => options.log.warn({ err: error }, 'pg-boss'));
  await boss.start();
  return boss;
};

interface Running {
  readonly handler: Handler;
  readonly queue: string;
  readonly workerId: string;
}

export const startCarrier = async (options: CarrierOptions): Promise<Carrier> => {
  const boss = await openBoss(options);
  const running = new Map<string, Running>();
  const ending = new AbortController();

  const look = async ({ queue, workerId }: Pick<Running, 'queue' | 'workerId'>, startAfter = 0) => {
    try {
      await boss.send(queue, {}, startAfter > 0 ? { startAfter } : {});
      if (startAfter === 0) boss.notifyWorker(workerId);
    } catch (error) {
      options.log.warn({ err: error, queue }, 'could not queue a delivery; the tick will');
    }
  };

  /** A job queued by a later event may come before the one that the dead process held. */
  const diedBefore = async (queue: string): Promise<boolean> => {
    const { rows } = await options.database.pool.query<{ died: boolean }>(
      `select exists (select from ${SCHEMA}.job where name = $1 and state = 'retry') as died`,
      [queue],
    );
    return rows[0]?.died === true;
  };

  const work = async (handler: Handler, died: boolean): Promise<void> => {
    const pumped = await pump({
      db: options.database.db,
      handler,
      log: options.log,
      died,
      signal: ending.signal,
    });
    const self = running.get(handler.name);
    if (self === undefined || self.handler !== handler) return;
    if (pumped.kind === 'more') await look(self);
    if (pumped.kind === 'failed') await look(self, pumped.retrySeconds);
  };

  const start = async (handler: Handler) => {
    const queue = `deliver-${handler.name}`;
    await boss.createQueue(queue, {
      policy: 'stately',
      retryLimit: FOR_EVER,
      retryDelay: 1,
      heartbeatSeconds: 10,
      expireInSeconds: 3600,
      deleteAfterSeconds: 60,
    });
    await readPlace(options.database.db, handler);
    const workerId = await boss.work(
      queue,
      { pollingIntervalSeconds: 2, includeMetadata: true, batchSize: 1 },
      async (jobs) => {
        for (const job of jobs)
          await work(handler, job.retryCount > 0 || (await diedBefore(queue)));
      },
    );
    running.set(handler.name, { handler, queue, workerId });
  };

  const stopOne = async (name: string) => {
    const entry = running.get(name);
    running.delete(name);
    if (entry !== undefined) await boss.offWork(entry.queue, { id: entry.workerId, wait: false });
  };

  const onEvents = async (page: EventPage) => {
    const wanting = [...running.values()].filter(({ handler }) =>
      page.events.some((event) => matches({ kinds: handler.kinds }, event) && handler.wants(event)),
    );
    await Promise.all(wanting.map((entry) => look(entry)));
  };
  let subscription: Subscription | undefined;
  /** Only what some handler wants is read from the database. */
  const subscribe = () => {
    const kinds = [...new Set([...running.values()].flatMap(({ handler }) => handler.kinds))];
    const after = subscription?.cursor();
    subscription?.close();
    subscription = options.feed.subscribe({
      onEvents,
      filter: { kinds },
      ...(after === undefined ? {} : { after }),
    });
  };
  const tick = setInterval(() => {
    for (const entry of running.values()) void look(entry);
  }, options.tickMs ?? 30_000);

  return {
    setHandlers: async (handlers) => {
      const wanted = new Map(handlers.map((handler) => [handler.name, handler]));
      for (const [name, entry] of running)
        if (wanted.get(name) !== entry.handler) await stopOne(name);
      const added = [...wanted.values()].filter((handler) => !running.has(handler.name));
      if (added.length === 0 && subscription !== undefined) return;
      // The look comes after the subscription: what happens in between is found by one of them.
      for (const handler of added) await start(handler);
      subscribe();
      for (const { name } of added) {
        const entry = running.get(name);
        if (entry !== undefined) await look(entry);
      }
    },
    stop: async () => {
      clearInterval(tick);
      ending.abort();
      subscription?.close();
      await boss.stop({ graceful: true, close: false, timeout: 10_000 });
    },
  };
};
