/**
 * Everything machines say to Hostwright: docs/reference/agent-protocol.md. One connection to the
 * database listens for all of them; an idle agent costs one parked request and no query.
 */
import { ERRORS } from '@hostwright/core';
import { listen, openDatabase, voidDeadTasks } from '@hostwright/engine';
import type { FastifyInstance } from 'fastify';
import { asHostwrightError } from '../http/problem.ts';
import { createCallers } from './caller.ts';
import { createCrowd } from './crowd.ts';
import type { AgentDeps } from './deps.ts';
import { registerFileRoutes } from './file-routes.ts';
import { registerJoinRoutes } from './join-routes.ts';
import { createParking } from './parking.ts';
import { createPresenceBook } from './presence-book.ts';
import { registerTaskRoutes } from './task-routes.ts';
import { createTokenBook } from './token-book.ts';

export interface AgentRoutes {
  /** Agents that wait for work now. */
  connected(): number;
}

const SWEEP_MS = 30_000;
const CONNECTIONS = 8;

export const registerAgentRoutes = (app: FastifyInstance, deps: AgentDeps): AgentRoutes => {
  const { log } = deps;
  // Machines ask the same few dozen statements for ever: planned once per connection, not each time.
  const database = openDatabase({
    url: deps.database.url,
    maxConnections: CONNECTIONS,
    applicationName: 'hostwright-agents',
    prepare: true,
    onIdleError: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
  const own: AgentDeps = { ...deps, database };
  const crowd = createCrowd(database.db);
  const tokens = createTokenBook(database.db);
  const parking = createParking({ db: database.db, log });
  const presence = createPresenceBook({ db: database.db, log });
  const callers = createCallers({ db: database.db, tokens, presence });
  const complain = (error: unknown): void =>
    log.warn({ err: error }, 'could not read or sweep the tasks of agents');

  const listener = listen({
    url: database.url,
    channels: ['hostwright_task', 'hostwright_node_token'],
    log,
    onConnect: () => {
      tokens.forgetAll();
      parking.resync().catch(complain);
    },
    onNotify: (channel, payload) => {
      if (channel === 'hostwright_task') parking.wake(Number(payload));
      else tokens.forget(Number(payload));
    },
  });
  const sweep = setInterval(
    () => void voidDeadTasks(database.db).catch(complain),
    SWEEP_MS,
  ).unref();

  // Before the sockets are waited for: a parked poll would hold the closing up.
  app.addHook('preClose', () => {
    parking.close();
    return Promise.resolve();
  });
  app.addHook('onClose', async () => {
    clearInterval(sweep);
    await listener.stop();
    await presence.close();
    await database.close();
  });

  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) =>
      parsed(null, body),
    );
    scope.setErrorHandler((error, request, reply) => {
      const refusal = asHostwrightError(error);
      if (refusal.code === 'internal') log.error({ err: error, url: request.url }, 'agent request');
      const after = refusal.public['retryAfterSeconds'];
      if (typeof after === 'number') void reply.header('retry-after', String(after));
      return reply
        .code(refusal.status)
        .type('application/problem+json')
        .send({
          type: `urn:hostwright:error:${refusal.code}`,
          title: ERRORS[refusal.code].text,
          status: refusal.status,
          code: refusal.code,
          detail: refusal.message,
          errors: refusal.refusals,
        });
    });
    registerFileRoutes(scope, deps);
    registerJoinRoutes(scope, { deps: own, callers, crowd, parking, tokens, presence });
    registerTaskRoutes(scope, { deps: own, callers, crowd, parking });
    done();
  });
  return { connected: () => parking.parked() };
};
