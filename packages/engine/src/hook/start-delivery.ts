/**
 * Tells hooks, webhooks and jigs of what happened. Any number of processes may run this at once;
 * each event is delivered by one of them. Which handlers there are is read again when a barclamp
 * is imported or a webhook changed, and on every tick.
 */
import type { Database } from '../db/open.ts';
import { startCarrier } from '../event/delivery.ts';
import type { EventFeed } from '../event/feed.ts';
import { startEventFeed } from '../event/feed.ts';
import type { Handler } from '../event/handler.ts';
import type { Log } from '../event/log.ts';
import type { Jig } from '../jig.ts';
import { createJigHandler } from '../jig-registry/handler.ts';
import type { MasterKey } from '../secret/seal.ts';
import { createWebhookHandler } from '../webhook/handler.ts';
import { listWebhooks } from '../webhook/find.ts';
import { createHookHandler } from './handler.ts';
import { readBarclampHooks } from './load.ts';

export interface DeliveryOptions {
  readonly database: Database;
  readonly log: Log;
  /** Default: one of its own. */
  readonly feed?: EventFeed;
  /** Needed to sign webhooks; without it this process delivers none. */
  readonly master?: MasterKey | undefined;
  /** The jigs this process has: told of nodes that come, change and go. */
  readonly jigs?: readonly Jig[];
  readonly tickMs?: number;
  readonly attemptLimit?: number;
  readonly timeLimitMs?: number;
}

export interface RunningDelivery {
  stop(): Promise<void>;
}

const TICK_MS = 30_000;

export const startDelivery = async (options: DeliveryOptions): Promise<RunningDelivery> => {
  const { database, log } = options;
  const feed = options.feed ?? (await startEventFeed({ database, log }));
  const carrier = await startCarrier({ database, feed, log, tickMs: options.tickMs ?? TICK_MS });
  const kept = new Map<string, Handler>();
  /** The same handler as long as what it was made from is the same, so that it is not restarted. */
  const keep = (key: string, make: () => Handler | undefined): Handler[] => {
    const handler = kept.get(key) ?? make();
    if (handler === undefined) return [];
    kept.set(key, handler);
    return [handler];
  };
  const limits = {
    ...(options.attemptLimit === undefined ? {} : { attemptLimit: options.attemptLimit }),
    ...(options.timeLimitMs === undefined ? {} : { timeLimitMs: options.timeLimitMs }),
  };

  const readHandlers = async (): Promise<Handler[]> => {
    const { db } = database;
    const barclamps = await readBarclampHooks(db, 'told');
    for (const { name, error } of barclamps)
      if (error !== undefined) log.warn({ barclamp: name }, `hooks not loaded: ${error}`);
    const { master } = options;
    const webhooks = master === undefined ? [] : await listWebhooks(db);
    return [
      ...barclamps.flatMap(({ name, content, hooks }) =>
        hooks === undefined
          ? []
          : keep(`hook ${name} ${content}`, () =>
              createHookHandler({ db, barclamp: name, hooks, log, ...limits }),
            ),
      ),
      ...webhooks
        .filter((webhook) => webhook.active && master !== undefined)
        .flatMap((webhook) =>
          keep(`webhook ${webhook.id} ${webhook.revision}`, () =>
            master === undefined
              ? undefined
              : createWebhookHandler({ db, webhook, master, ...limits }),
          ),
        ),
      ...(options.jigs ?? []).flatMap((jig) =>
        keep(`jig ${jig.name}`, () => createJigHandler({ db, jig, ...limits })),
      ),
    ];
  };

  let refreshing = Promise.resolve();
  const refresh = (): Promise<void> => {
    refreshing = refreshing
      .then(async () => carrier.setHandlers(await readHandlers()))
      .catch((error: unknown) =>
        log.warn({ err: error }, 'could not read who is to be told of events'),
      );
    return refreshing;
  };
  await refresh();
  const subscription = feed.subscribe({
    filter: { kinds: ['barclamp.imported', 'webhook.changed', 'webhook.disabled'] },
    onEvents: refresh,
  });
  const tick = setInterval(() => void refresh(), options.tickMs ?? TICK_MS);
  return {
    stop: async () => {
      clearInterval(tick);
      subscription.close();
      await refreshing;
      await carrier.stop();
      if (options.feed === undefined) await feed.stop();
    },
  };
};
