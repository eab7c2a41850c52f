/**
 * The composition root of the server: puts the parts together, starts nothing that is not asked
 * for. Tests inject requests into `app`; startServer listens.
 */
import { randomUUID } from 'node:crypto';
import type { Server as HttpsServer } from 'node:https';
import fastifyCookie from '@fastify/cookie';
import {
  dropExpiredAccess,
  startEventFeed,
  type Database,
  type EventFeed,
} from '@hostwright/engine';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { registerAgentRoutes, type AgentRoutes } from './agent/register.ts';
import { DEFAULTS, type ServerConfig } from './config.ts';
import { registerConsole } from './console.ts';
import type { Context } from './context.ts';
import { createFleetBook } from './fleet/book.ts';
import type { OpenHammers } from './hammer-actions.ts';
import { openHammers } from '@hostwright/providers';
import { registerByteRoute } from './http/byte-route.ts';
import { registerHeaders } from './http/headers.ts';
import { limitBodies } from './http/limit-bodies.ts';
import { registerProblems } from './http/problem.ts';
import { registerRoute } from './http/route.ts';
import { openMasterKey } from './master-key.ts';
import { countRequests, createMetrics } from './metrics/metrics.ts';
import { openTls } from './tls/tls.ts';
import { allRoutes } from './routes/all.ts';

/** More routes: boot endpoints, chat. Registered after the API, with the same context. */
export type ServerPlugin = (app: FastifyInstance, context: Context) => void | Promise<void>;

export interface ServerOptions {
  readonly database: Database;
  readonly config: ServerConfig;
  readonly log?: FastifyBaseLogger;
  /** Shared with others in this process; made and stopped by the server if absent. */
  readonly feed?: EventFeed;
  readonly plugins?: readonly ServerPlugin[];
  /** Default: what the providers open from the database. */
  readonly openHammers?: OpenHammers;
}

export interface Server {
  readonly app: FastifyInstance;
  readonly agents: AgentRoutes;
  readonly context: Context;
  close(): Promise<void>;
}

const HOUSEKEEPING_MS = 10 * 60_000;
const RENEWAL_MS = 24 * 3600 * 1000;

const makeApp = (
  log: FastifyBaseLogger,
  context: { tls: Context['tls']; config: ServerConfig },
): FastifyInstance => {
  const options = {
    loggerInstance: log,
    genReqId: () => randomUUID(),
    bodyLimit: DEFAULTS.bodyLimit,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: context.config.trustProxy ?? false,
    // ids and names only: a longer one cannot be anything we know
    routerOptions: { maxParamLength: 512 },
    // longer than any long poll
    keepAliveTimeout: 75_000,
    // of a whole request, by limitBodies: what takes bytes may take hours
    requestTimeout: 0,
    forceCloseConnections: 'idle' as const,
  };
  if (context.tls === undefined) return Fastify(options);
  const https = {
    key: context.tls.keyPem,
    cert: context.tls.certificatePem,
    minVersion: 'TLSv1.2' as const,
  };
  // both are the same to us; their types differ only in the raw server
  return Fastify({ ...options, https });
};

export const createServer = async (options: ServerOptions): Promise<Server> => {
  const { database, config } = options;
  const log: FastifyBaseLogger = options.log ?? pino({ level: 'warn' });
  const tls = await openTls(config);
  const feed = options.feed ?? (await startEventFeed({ database, log }));
  const metrics = createMetrics();
  const book = createFleetBook({ database, feed });
  const master = config.master ?? (await openMasterKey(config.dataDir));
  const app = makeApp(log, { tls, config });
  const context: Context = {
    database,
    db: database.db,
    config,
    log,
    feed,
    tls,
    metrics,
    master,
    book,
    openHammers: options.openHammers ?? ((nodeId) => openHammers(database.db, { nodeId, master })),
    startedAt: new Date(),
    streams: new Set(),
    url: () => {
      if (config.publicUrl !== undefined) return config.publicUrl.replace(/\/$/, '');
      const address = app.server.address();
      const port =
        typeof address === 'object' && address !== null
          ? address.port
          : (config.port ?? DEFAULTS.port);
      return `${tls === undefined ? 'http' : 'https'}://${config.names?.[0] ?? 'localhost'}:${port}`;
    },
  };
  registerHeaders(app, tls !== undefined);
  registerProblems(app);
  limitBodies(app);
  countRequests(app, metrics);
  await app.register(fastifyCookie);
  for (const entry of allRoutes())
    if (entry.operation.takes === 'bytes') await registerByteRoute(app, context, entry);
    else registerRoute(app, context, entry);
  const agents = registerAgentRoutes(app, {
    database,
    log,
    caPem: tls?.caPem ?? tls?.certificatePem ?? '',
    master,
    addresses: () => ({
      publicUrl: config.publicUrl,
      names: config.names ?? [],
      certificatePem: tls?.certificatePem,
      url: context.url(),
    }),
  });
  metrics.watchAgents(() => agents.connected());
  for (const plugin of options.plugins ?? []) await plugin(app, context);
  await registerConsole(app, config.consoleDir);

  const housekeeping = setInterval(() => {
    dropExpiredAccess(database.db).catch((error: unknown) =>
      log.warn({ err: error }, 'housekeeping failed'),
    );
  }, HOUSEKEEPING_MS).unref();
  const renewal = setInterval(() => {
    openTls(config)
      .then((fresh) => {
        if (fresh !== undefined && 'setSecureContext' in app.server)
          (app.server as HttpsServer).setSecureContext({
            key: fresh.keyPem,
            cert: fresh.certificatePem,
          });
      })
      .catch((error: unknown) => log.error({ err: error }, 'the certificate could not be renewed'));
  }, RENEWAL_MS).unref();

  app.addHook('preClose', async () => {
    // an open stream would hold the closing up; its client comes back by itself
    for (const stream of context.streams) stream.end();
  });
  return {
    app,
    agents,
    context,
    close: async () => {
      clearInterval(housekeeping);
      clearInterval(renewal);
      await app.close();
      book.close();
      if (options.feed === undefined) await feed.stop();
    },
  };
};
