/** What a machine needs before it can prove anything: the join script, the CA, the agent. */
import { AGENT_VERSION, agentScript, joinScript } from '@hostwright/agent';
import { HostwrightError } from '@hostwright/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AgentDeps } from './deps.ts';

// It goes into a script that root runs.
const HOST =
  /^(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?)(:[0-9]{1,5})?$/;

export const registerFileRoutes = (app: FastifyInstance, deps: AgentDeps): void => {
  const urlOf = (request: FastifyRequest): string => {
    if (deps.publicUrl !== undefined) return deps.publicUrl.replace(/\/+$/, '');
    const host = request.headers.host ?? '';
    if (!HOST.test(host))
      throw new HostwrightError('bad_input', {
        message: 'the header Host does not name a host; ask by the name or address of this server',
      });
    return `${request.protocol}://${host}`;
  };

  app.get('/join', async (request, reply) =>
    reply
      .type('text/x-shellscript')
      .header('cache-control', 'no-store')
      .send(joinScript({ url: urlOf(request) })),
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
