/** What a machine needs before it can prove anything: the join script, the CA, the agent. */
import { AGENT_VERSION, agentScript, joinScript } from '@hostwright/agent';
import type { FastifyInstance } from 'fastify';
import type { AgentDeps } from './deps.ts';
import { joinUrl } from './join-url.ts';

export const registerFileRoutes = (app: FastifyInstance, deps: AgentDeps): void => {
  app.get('/join', async (request, reply) =>
    reply
      .type('text/x-shellscript')
      .header('cache-control', 'no-store')
      .send(joinScript({ url: joinUrl(request.headers.host, deps.addresses()) })),
  );
  app.get('/agent/v1/ca.pem', async (_request, reply) =>
    reply.type('application/x-pem-file').send(deps.caPem),
  );
  app.get('/agent/v1/agent', async (_request, reply) =>
    reply
      .type('text/x-shellscript')
      .header('x-hostwright-agent', AGENT_VERSION)
      .send(agentScript()),
  );
};
