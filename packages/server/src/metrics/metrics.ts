/** Prometheus text: what this process did, and what the database says, read on each scrape. */
import { readMetrics } from '@hostwright/engine';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';

export interface Metrics {
  readonly registry: Registry;
  observe(request: {
    readonly operation: string;
    readonly status: number;
    /** Absent: it waited on purpose. */
    readonly seconds: number | undefined;
  }): void;
  /** How many agents wait at this process, asked on each scrape. */
  watchAgents(connected: () => number): void;
  render(context: Context): Promise<string>;
}

export const createMetrics = (): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'hostwright_' });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `hostwright_${name}`, help, labelNames, registers: [registry] });
  const requests = new Counter({
    name: 'hostwright_requests_total',
    help: 'Requests by operation and class of status',
    labelNames: ['operation', 'status'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'hostwright_request_seconds',
    help: 'Time to answer, streams and polls left out',
    labelNames: ['operation'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  const runs = gauge('runs', 'Runs by status: queued and live now, ended in the last day', [
    'status',
  ]);
  const noderoles = gauge('noderoles', 'Noderoles by state', ['state']);
  const nodes = gauge('nodes', 'Nodes by aliveness', ['alive']);
  const queueAge = gauge('queue_age_seconds', 'Age of the oldest noderole that could be claimed');
  const ready = gauge('queue_ready', 'Noderoles and runs that could be claimed');
  const workers = gauge('workers', 'Workers alive');
  const concurrency = gauge('worker_concurrency', 'What the live workers allow at once');
  const lag = gauge('events_unplaced', 'Batches of events that have no position yet');
  const behind = gauge('event_reader_behind', 'Positions a durable reader is behind', ['reader']);
  const streams = gauge('event_streams', 'Open event streams of this process');

  const fill = async (context: Context): Promise<void> => {
    const seen = await readMetrics(context.db);
    runs.reset();
    noderoles.reset();
    behind.reset();
    for (const { status, count } of seen.runs) runs.set({ status }, count);
    for (const { state, count } of seen.noderoles) noderoles.set({ state }, count);
    for (const reader of seen.readers) behind.set({ reader: reader.name }, reader.behind);
    nodes.set({ alive: 'true' }, seen.nodesAlive);
    nodes.set({ alive: 'false' }, seen.nodes - seen.nodesAlive);
    queueAge.set(seen.oldestReadySeconds ?? 0);
    ready.set(seen.ready);
    workers.set(seen.workers);
    concurrency.set(seen.concurrency);
    lag.set(seen.unplaced);
    streams.set(context.streams.size);
  };
  return {
    registry,
    observe({ operation, status, seconds }) {
      requests.inc({ operation, status: `${Math.floor(status / 100)}xx` });
      if (seconds !== undefined) duration.observe({ operation }, seconds);
    },
    watchAgents(connected) {
      const agents: Gauge = new Gauge({
        name: 'hostwright_agents',
        help: 'Agents whose poll waits at this process',
        registers: [registry],
        collect: () => agents.set(connected()),
      });
    },
    async render(context) {
      await fill(context);
      return registry.metrics();
    },
  };
};

export const renderMetrics = (context: Context): Promise<string> => context.metrics.render(context);

export const countRequests = (app: FastifyInstance, metrics: Metrics): void => {
  app.addHook('onResponse', async (request, reply) => {
    // set where routes are registered; Fastify types it as whatever anybody puts there
    const { operation, waits } = request.routeOptions.config as {
      operation?: string;
      waits?: boolean;
    };
    metrics.observe({
      operation: operation ?? 'other',
      status: reply.statusCode,
      seconds: waits === true ? undefined : reply.elapsedTime / 1000,
    });
  });
};
