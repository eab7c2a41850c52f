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
  readonly body: unknown;
}
interface RouteReply {
  readonly raw: ServerResponse;
  hijack(): unknown;
}
export interface RouteHost {
  route(options: {
    method: ('GET' | 'HEAD' | 'POST')[];
    url: string;
    bodyLimit?: number;
    logLevel?: 'silent';
    schema?: { hide?: boolean };
    handler(request: RouteRequest, reply: RouteReply): Promise<void>;
  }): unknown;
}

export const registerBootRoutes = (app: RouteHost, deps: BootDeps): void => {
  app.route({
    method: ['GET', 'HEAD', 'POST'],
    url: '/boot/v1/*',
    bodyLimit: 256 * 1024,
    // paths hold tokens
    logLevel: 'silent',
    handler: async (request, reply) => {
      const body =
        typeof request.body === 'string'
          ? request.body
          : Buffer.isBuffer(request.body)
            ? request.body.toString('utf8')
            : '';
      const answer = await answerBootRequest(deps, {
        method: request.raw.method ?? 'GET',
        url: request.raw.url ?? '/',
        headers: request.raw.headers,
        body,
      });
      reply.hijack();
      await writeAnswer(answer, reply.raw);
    },
  });
};
