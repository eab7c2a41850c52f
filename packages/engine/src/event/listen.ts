/**
 * A connection of its own that listens, and comes back by itself when PostgreSQL was restarted.
 * Notifications only make things fast: whoever uses this has a tick as well.
 */
import { HostwrightError } from '@hostwright/core';
import pg from 'pg';
import type { Log } from './log.ts';

export interface Listener {
  stop(): Promise<void>;
}

export interface ListenOptions {
  readonly url: string;
  readonly channels: readonly string[];
  readonly onNotify: (channel: string, payload: string) => void;
  /** Connected, for the first time or again: what was notified meanwhile is not known. */
  readonly onConnect: () => void;
  readonly log: Log;
}

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 2000;

export const listen = (options: ListenOptions): Listener => {
  if (options.channels.some((channel) => !/^[a-z_]+$/.test(channel)))
    throw new HostwrightError('internal', { message: 'a channel name must be a plain word' });
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let retry = FIRST_RETRY_MS;
  let stopped = false;

  const again = (error?: Error) => {
    if (stopped || timer !== undefined) return;
    if (error !== undefined) options.log.debug({ err: error }, 'listening connection lost');
    timer = setTimeout(() => {
      timer = undefined;
      void connect();
    }, retry);
    retry = Math.min(retry * 2, LAST_RETRY_MS);
  };

  const connect = async () => {
    const next = new pg.Client({
      connectionString: options.url,
      application_name: 'hostwright listener',
      keepAlive: true,
    });
    client = next;
    next.on('error', () => {}); // 'end' follows
    next.on('end', () => {
      if (client === next) again();
    });
    next.on('notification', (message) => options.onNotify(message.channel, message.payload ?? ''));
    try {
      await next.connect();
      for (const channel of options.channels) await next.query(`listen ${channel}`);
      retry = FIRST_RETRY_MS;
      if (!stopped) options.onConnect();
    } catch (error) {
      await next.end().catch(() => {});
      again(error instanceof Error ? error : undefined);
    }
  };

  const connecting = connect();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await connecting;
      await client?.end().catch(() => {});
    },
  };
};
