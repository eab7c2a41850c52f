/** What a machine says about the work it was given. Every write is checked against run, token and boot. */
import { HostwrightError } from '@hostwright/core';
import {
  appendTaskLog,
  finishTask,
  openBundle,
  openMasks,
  readTaskBundle,
  startTask,
  transaction,
  type OfferedTask,
  type TaskKey,
  type TaskResult,
} from '@hostwright/engine';
import { parseWall } from '@hostwright/jigs';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Callers } from './caller.ts';
import type { Crowd } from './crowd.ts';
import type { AgentDeps } from './deps.ts';
import type { Parking } from './parking.ts';
import { readShape } from './read-body.ts';
import { LARGEST_PIECE, takeLines } from './take-lines.ts';

const LARGEST_RESULT = 4 * 1024 * 1024;
const LONGEST_WAIT = 55;

const wholeNumber = (text: unknown, path: string): number => {
  if (typeof text !== 'string' || !/^[0-9]{1,15}$/.test(text))
    throw new HostwrightError('bad_input', {
      refusals: [{ code: 'bad_input', path, message: 'must be a whole number' }],
    });
  return Number(text);
};

const taskLines = (task: OfferedTask): string =>
  [
    `run=${task.runId}`,
    `token=${task.token}`,
    `lane=${task.lane}`,
    `action=${task.action}`,
    `timeout_seconds=${task.timeoutSeconds}`,
    ...(task.sha256 === null ? [] : [`sha256=${task.sha256}`]),
    '',
  ].join('\n');

const readResult = (body: unknown): TaskResult => {
  const said = readShape('result', body);
  const text = typeof said.wall === 'string' ? said.wall : JSON.stringify(said.wall ?? {});
  const parsed = parseWall(text);
  return {
    exitCode: said.exit_code,
    reason: said.reason,
    script: said.script,
    wall: parsed.ok ? parsed.wall : {},
    wallError: parsed.ok ? '' : parsed.reason,
  };
};

const gone = (): HostwrightError =>
  new HostwrightError('stale_token', { message: 'this task is not current: end it' });

export const registerTaskRoutes = (
  app: FastifyInstance,
  options: {
    readonly deps: AgentDeps;
    readonly callers: Callers;
    readonly crowd: Crowd;
    readonly parking: Parking;
  },
): void => {
  const { deps, callers, crowd, parking } = options;
  const { db } = deps.database;
  const { master } = deps;

  const keyOf = async (request: FastifyRequest): Promise<TaskKey> => {
    const { nodeId, bootId } = await callers.admit(request);
    const { run, token } = request.params as { run: string; token: string };
    return { nodeId, bootId, runId: wholeNumber(run, 'run'), token: wholeNumber(token, 'token') };
  };

  app.get(
    '/agent/v1/task',
    { config: { operation: 'agent_poll', waits: true } },
    async (request, reply) => {
      const { nodeId } = await callers.admit(request);
      const { wait } = request.query as { wait?: string };
      const seconds = wait === undefined ? 0 : Math.min(wholeNumber(wait, 'wait'), LONGEST_WAIT);
      const hungUp = new AbortController();
      reply.raw.once('close', () => hungUp.abort());
      const task = await parking.park(nodeId, seconds, hungUp.signal);
      if (task === undefined) return reply.code(204).send();
      return reply.type('text/plain').send(taskLines(task));
    },
  );

  app.get(
    '/agent/v1/task/:run/:token/bundle',
    { config: { operation: 'agent_bundle' } },
    async (request, reply) => {
      const key = await keyOf(request);
      const sealed = await readTaskBundle(db, key);
      if (sealed === undefined) throw gone();
      return reply.type('application/x-tar').send(openBundle(master, key.runId, sealed));
    },
  );

  app.post(
    '/agent/v1/task/:run/:token/started',
    { config: { operation: 'agent_started' } },
    async (request, reply) => {
      const key = await keyOf(request);
      if ((await transaction(db, (tx) => startTask(tx, key))) === 'void') throw gone();
      return reply.type('text/plain').send('started\n');
    },
  );

  app.post(
    '/agent/v1/task/:run/:token/log',
    { bodyLimit: LARGEST_PIECE, config: { operation: 'agent_log' } },
    async (request, reply) => {
      const key = await keyOf(request);
      const query = request.query as { offset?: string; last?: string };
      const offset = wholeNumber(query.offset, 'offset');
      const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const known = await transaction(db, (tx) =>
        appendTaskLog(tx, key, (task) =>
          takeLines({
            bytes,
            offset,
            known: task.nextLog,
            last: query.last === '1',
            mask: openMasks(master, key.runId, task.masks).mask,
          }),
        ),
      );
      if (known === 'void') throw gone();
      return reply.type('text/plain').send(`offset=${known}\n`);
    },
  );

  app.post(
    '/agent/v1/task/:run/:token/result',
    { bodyLimit: LARGEST_RESULT, config: { operation: 'agent_result' } },
    async (request, reply) => {
      const key = await keyOf(request);
      const result = readResult(request.body);
      const taken = await transaction(db, (tx) => finishTask(tx, key, { result, master }));
      if (taken === 'void') throw gone();
      return reply.type('text/plain').send('accepted\n');
    },
  );

  app.get('/agent/v1/live', { config: { operation: 'agent_live' } }, async (request, reply) => {
    const { nodeId } = await callers.admit(request);
    const live = await crowd.live.ask(nodeId);
    const lines = live.map(({ runId, token }) => `run=${runId} token=${token}\n`);
    return reply.type('text/plain').send(lines.join(''));
  });
};
