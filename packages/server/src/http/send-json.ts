/** JSON on the wire: ETag and 304 for reads, gzip for what is large, checked against the contract in tests. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { OperationShape } from '@hostwright/api';
import { HostwrightError } from '@hostwright/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';

const compress = promisify(gzip);
const WORTH_COMPRESSING = 32 * 1024;

const checkAnswer = (operation: OperationShape, text: string, request: FastifyRequest): void => {
  // a choice of fields leaves out what the schema requires
  if (operation.answer === undefined || new URL(request.url, 'http://x').searchParams.has('fields'))
    return;
  const parsed = operation.answer.safeParse(JSON.parse(text));
  if (!parsed.success)
    throw new HostwrightError('internal', {
      message: `the answer of ${operation.id} breaks the contract: ${parsed.error.message}`,
    });
};

export const sendJson = async (options: {
  readonly context: Context;
  readonly operation: OperationShape;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly status: number;
  readonly answer: unknown;
}): Promise<FastifyReply> => {
  const { reply, request, operation } = options;
  if (options.status === 204 || options.answer === undefined) return reply.code(204).send();
  const text = JSON.stringify(options.answer);
  if (options.context.config.checkAnswers === true) checkAnswer(operation, text, request);
  void reply.code(options.status).type('application/json; charset=utf-8');
  if (operation.method === 'GET' && !reply.hasHeader('etag')) {
    const etag = `W/"${createHash('sha1').update(text).digest('base64url')}"`;
    void reply.header('etag', etag).header('cache-control', 'private, no-cache');
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  } else void reply.header('cache-control', 'no-store');
  const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  if (!takesGzip || text.length < WORTH_COMPRESSING) return reply.send(text);
  void reply.header('content-encoding', 'gzip').header('vary', 'accept-encoding');
  // level 1: a third of the time of the default for a tenth more bytes
  return reply.send(await compress(text, { level: 1 }));
};
