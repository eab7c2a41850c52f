/**
 * A body has come after two minutes, or its connection is closed: whoever sends a byte now and then
 * holds nothing for long. Routes that take bytes of any size see to it themselves.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Takes a body of any size. */
    endless?: boolean;
  }
}

const LONGEST_MS = 120_000;

export const limitBodies = (app: FastifyInstance): void => {
  const timers = new WeakMap<FastifyRequest, NodeJS.Timeout>();
  app.addHook('onRequest', async (request) => {
    const { raw } = request;
    if (request.routeOptions.config.endless === true) return;
    if (raw.headers['content-length'] !== undefined || raw.headers['transfer-encoding'])
      timers.set(request, setTimeout(() => raw.destroy(), LONGEST_MS).unref());
  });
  const done = async (request: FastifyRequest): Promise<void> => {
    clearTimeout(timers.get(request));
  };
  app.addHook('preHandler', done);
  app.addHook('onRequestAbort', done);
  app.addHook('onResponse', done);
};
