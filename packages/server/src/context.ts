/** What every handler has at hand. Made once, in compose.ts. */
import type { Database, EventFeed, MasterKey } from '@hostwright/engine';
import type { FastifyBaseLogger } from 'fastify';
import type { ServerConfig } from './config.ts';
import type { FleetBook } from './fleet/book.ts';
import type { OpenHammers } from './hammer-actions.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { EventSink } from './stream/event-source.ts';
import type { Tls } from './tls/tls.ts';

export interface Context {
  readonly database: Database;
  readonly db: Database['db'];
  readonly config: ServerConfig;
  readonly log: FastifyBaseLogger;
  readonly feed: EventFeed;
  readonly tls: Tls | undefined;
  readonly metrics: Metrics;
  /** Seals secrets. */
  readonly master: MasterKey;
  /** The fleet in memory. */
  readonly book: FleetBook;
  readonly openHammers: OpenHammers;
  readonly startedAt: Date;
  /** Open event streams: ended when the server stops, or stopping would wait for them. */
  readonly streams: Set<EventSink>;
  /** Where people and machines reach this server; known once it listens. */
  url(): string;
}
