/** How a machine becomes a node, and what it says when it boots. */
import { HostwrightError, type ErrorCode, type Refusal } from '@hostwright/core';
import type { JoinedNode } from '@hostwright/engine';
import type { FastifyInstance } from 'fastify';
import { bearer, type Callers } from './caller.ts';
import type { Crowd } from './crowd.ts';
import type { AgentDeps } from './deps.ts';
import { createJoinGate } from './join-gate.ts';
import type { Parking } from './parking.ts';
import type { PresenceBook } from './presence-book.ts';
import { parseJson, readShape } from './read-body.ts';
import type { TokenBook } from './token-book.ts';

const SMALL = 32 * 1024;
const LARGEST_INVENTORY = 1024 * 1024;
const PROBE_MS = 3000;
const POLL_SECONDS = 25;

const refuse = (refusals: readonly Refusal[], fallback: ErrorCode): HostwrightError => {
  const first = refusals[0];
  const code = first?.code === 'conflict' || first?.code === 'too_large' ? first.code : fallback;
  return new HostwrightError(code, {
    refusals,
    ...(first !== undefined && { message: first.message }),
  });
};

export const registerJoinRoutes = (
  app: FastifyInstance,
  options: {
    readonly deps: AgentDeps;
    readonly callers: Callers;
    readonly crowd: Crowd;
    readonly parking: Parking;
    readonly tokens: TokenBook;
    readonly presence: PresenceBook;
  },
): void => {
  const { deps, callers, crowd, parking, tokens, presence } = options;
  const gate = createJoinGate();

  app.post(
    '/agent/v1/join',
    { bodyLimit: SMALL, config: { operation: 'agent_join' } },
    async (request, reply) => {
      const joined = await gate.pass(request.ip, async (): Promise<JoinedNode> => {
        const token = bearer(request);
        const said = readShape('join', request.body);
        const answer = await crowd.joins.ask({
          token,
          machine: {
            hostname: said.hostname,
            systemUuid: said.system_uuid ?? undefined,
            serial: said.serial ?? undefined,
            macs: said.macs,
          },
          // A machine that claims to be one which is plainly there, in another boot, is not it.
          mayBe: async (node) =>
            node.bootId === null ||
            node.bootId === said.boot_id ||
            !(await parking.probe(node.id, PROBE_MS)),
        });
        if (answer.ok) return answer;
        if (answer.reason === 'token') throw new HostwrightError('unauthenticated');
        throw refuse(answer.refusals, 'refused');
      });
      tokens.forget(joined.nodeId);
      deps.log.info({ node: joined.name, how: joined.how }, 'a machine joined');
      return reply
        .type('text/plain')
        .send(`node=${joined.nodeId}\nname=${joined.name}\ntoken=${joined.token}\n`);
    },
  );

  app.post(
    '/agent/v1/hello',
    { bodyLimit: SMALL, config: { operation: 'agent_hello' } },
    async (request, reply) => {
      const known = await callers.identify(request);
      const said = readShape('hello', request.body);
      const { hello, rotate } = await crowd.hellos.ask({
        nodeId: known.nodeId,
        bootId: said.boot_id,
      });
      if (!hello.ok)
        throw new HostwrightError('stale_token', { message: 'this boot id is of an earlier boot' });
      tokens.rebooted(known.nodeId, said.boot_id);
      presence.heard(known.nodeId);
      return reply
        .type('text/plain')
        .send(
          `epoch=${hello.epoch}\npoll_seconds=${POLL_SECONDS}\n${rotate === undefined ? '' : `rotate=${rotate}\n`}`,
        );
    },
  );

  app.post(
    '/agent/v1/inventory',
    { bodyLimit: LARGEST_INVENTORY, config: { operation: 'agent_inventory' } },
    async (request, reply) => {
      const { nodeId, bootId } = await callers.admit(request);
      const facts = parseJson(request.body);
      const stored = await crowd.inventories.ask({ nodeId, bootId, facts });
      if (stored.ok) return reply.type('text/plain').send('stored\n');
      if (stored.reason === 'stale') throw new HostwrightError('stale_token');
      throw refuse(stored.refusals, 'bad_input');
    },
  );
};
