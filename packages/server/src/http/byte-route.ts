/** A route whose body is bytes: it gets them as they come, in a scope of its own, since others take JSON. */
import { HostwrightError } from '@hostwright/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { Context } from '../context.ts';
import { registerRoute, type Route } from './route.ts';

/** It may take hours, but not stand still. */
const STANDSTILL_MS = 120_000;

export const registerByteRoute = async (
  app: FastifyInstance,
  context: Context,
  route: Route,
): Promise<void> => {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/octet-stream', (_request, payload, done) =>
      done(null, payload),
    );
    registerRoute(scope, context, route);
  });
};

export const bytesOf = (request: FastifyRequest): Readable => {
  if (request.body instanceof Readable) {
    const { raw } = request;
    raw.setTimeout(STANDSTILL_MS, () => raw.destroy());
    return request.body;
  }
  throw new HostwrightError('bad_input', {
    message: 'the body must be the file itself, as application/octet-stream',
  });
};
