/** Headers that every answer carries. The console needs nothing from elsewhere, so nothing is allowed. */
import type { FastifyInstance } from 'fastify';

const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export const registerHeaders = (app: FastifyInstance, secure: boolean): void => {
  app.addHook('onRequest', async (request, reply) => {
    void reply
      .header('x-request-id', request.id)
      .header('x-content-type-options', 'nosniff')
      .header('x-frame-options', 'DENY')
      .header('referrer-policy', 'same-origin')
      .header('cross-origin-opener-policy', 'same-origin')
      .header('cross-origin-resource-policy', 'same-origin')
      .header('content-security-policy', CONSOLE_POLICY);
    if (secure) void reply.header('strict-transport-security', 'max-age=31536000');
  });
};
