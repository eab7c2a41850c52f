/**
 * The same paths inside the server's own listener (TLS). Typed by shape, so that this package needs no
 * web framework: what is used of Fastify is `route`, the raw request and `hijack`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BootDeps } from '../boot/deps.ts';
import { answerBootRequest } from './answer.ts';
import { writeAnswer } from './listen.ts';

interface RouteRequest {
  readonly raw: IncomingMessage;
  readonly body?: unknown;
}
interface RouteReply {
  readonly raw: ServerResponse;
  hijack(): unknown;
}
type Handler = (request: RouteRequest, reply: RouteReply) => Promise<void>;
export interface RouteHost {
  get(url: string, options: { logLevel: 'silent' }, handler: Handler): unknown;
  post(url: string, options: { logLevel: 'silent'; bodyLimit: number }, handler: Handler): unknown;
}

export const registerBootRoutes = (app: RouteHost, deps: BootDeps): void => {
  const handler: Handler = async (request, reply) => {
    const { body } = request;
    const answer = await answerBootRequest(deps, {
      method: request.raw.method ?? 'GET',
      url: request.raw.url ?? '/',
      headers: request.raw.headers,
      body: typeof body === 'string' ? body : '',
    });
    reply.hijack();
    await writeAnswer(answer, reply.raw);
  };
  // paths hold tokens: nothing of them is logged
  app.get('/boot/v1/*', { logLevel: 'silent' }, handler);
  app.post('/boot/v1/*', { logLevel: 'silent', bodyLimit: 256 * 1024 }, handler);
};
