/**
 * Every refusal and failure as RFC 9457 problem+json, with the code of the catalogue, every
 * refusal, and the request's id. What went wrong inside is only in the log.
 */
import { ERRORS, HostwrightError, type ErrorCode, type Refusal } from '@hostwright/core';
import { sqlState } from '@hostwright/engine';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

/** Fastify's own refusals, by its codes. */
const FASTIFY_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'bad_input',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_input',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'bad_input',
  FST_ERR_CTP_INVALID_JSON_BODY: 'bad_input',
  FST_ERR_BAD_URL: 'bad_input',
};

/** Every issue of a value that does not fit, each with the path of its field. */
export const refusalsOf = (error: z.ZodError, place: string): Refusal[] =>
  error.issues.flatMap((issue): Refusal[] => {
    const path = [place, ...issue.path.map(String)].join('/');
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({
        code: 'unknown_field',
        path: `${path}/${key.slice(0, 64)}`,
        message: 'there is no such field',
      }));
    return [{ code: issue.code, path, message: issue.message }];
  });

// The database is restarting or out of connections: the caller may come again.
const UNREACHABLE = new Set([
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08006',
  '08001',
  'ECONNREFUSED',
  'ECONNRESET',
]);

// What the driver says, without a code, when a connection breaks under a statement.
const BROKEN = /^(Connection terminated|Client has encountered a connection error)/;

export const asHostwrightError = (error: unknown): HostwrightError => {
  if (error instanceof HostwrightError) return error;
  const code = sqlState(error) ?? '';
  const known = FASTIFY_CODES[code];
  if (known !== undefined)
    return new HostwrightError(known, {
      message: known === 'too_large' ? ERRORS.too_large.text : messageOf(error),
      cause: error,
    });
  if (UNREACHABLE.has(code) || (error instanceof Error && BROKEN.test(error.message)))
    return new HostwrightError('unavailable', {
      message: 'the database cannot be reached',
      cause: error,
    });
  const status =
    error instanceof Error && 'statusCode' in error
      ? (error as FastifyError).statusCode
      : undefined;
  if (status !== undefined && status >= 400 && status < 500)
    return new HostwrightError('bad_input', { message: messageOf(error), cause: error });
  return new HostwrightError('internal', { cause: error });
};

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message.slice(0, 500) : ERRORS.bad_input.text;

export const problemOf = (
  error: HostwrightError,
  request: { readonly url: string; readonly id: string },
) => ({
  ...error.public,
  type: `urn:hostwright:error:${error.code}`,
  title: ERRORS[error.code].text,
  status: error.status,
  detail: error.message,
  instance: request.url.split('?')[0] ?? '',
  code: error.code,
  retryable: error.retryable,
  requestId: request.id,
  refusals: error.refusals,
});

export const sendProblem = async (
  request: FastifyRequest,
  reply: FastifyReply,
  error: HostwrightError,
): Promise<void> => {
  if (error.status >= 500) request.log.error({ err: error, detail: error.private }, error.message);
  else request.log.debug({ code: error.code }, error.message);
  if (error.code === 'unauthenticated') void reply.header('www-authenticate', 'Bearer');
  if (error.status === 429 || error.status === 503) void reply.header('retry-after', '5');
  await reply
    .code(error.status)
    .type('application/problem+json')
    .send(JSON.stringify(problemOf(error, request)));
};

export const registerProblems = (app: FastifyInstance): void => {
  app.setErrorHandler((error, request, reply) =>
    sendProblem(request, reply, asHostwrightError(error)),
  );
};
