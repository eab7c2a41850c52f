/** The built console: assets for ever, the page itself never cached, any path of its router answered. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { HostwrightError } from '@hostwright/core';
import type { FastifyInstance } from 'fastify';
import { sendProblem } from './http/problem.ts';

const CONSOLE_DIR = fileURLToPath(new URL('../../console/dist', import.meta.url));

const NOT_BUILT = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Hostwright</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:15vh auto;padding:0 1rem}code{background:#8882;padding:.1em .3em;border-radius:.2em}</style></head>
<body><h1>Hostwright is running</h1><p>The web console has not been built yet. Build it with <code>npm run build --workspace @hostwright/console</code> and reload this page.</p>
<p>The API is at <a href="/api/v2/openapi.json"><code>/api/v2</code></a>; the command line is <code>npm run hostwright -- --help</code>.</p></body></html>`;

const PROGRAMS = /^\/(api|agent|boot|join)(\/|$)/;

export const registerConsole = async (
  app: FastifyInstance,
  folder = CONSOLE_DIR,
): Promise<void> => {
  await app.register(fastifyStatic, {
    root: folder,
    wildcard: false,
    index: false,
    serve: false,
    preCompressed: true,
  });
  app.get('/assets/*', { config: { operation: 'console_asset' } }, (request, reply) => {
    const { '*': path } = request.params as { '*': string };
    // names hold a hash of the content
    return reply.sendFile(`assets/${path}`, { maxAge: '365d', immutable: true });
  });
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?')[0] ?? '/';
    const wantsPage = request.method === 'GET' || request.method === 'HEAD';
    if (!wantsPage || PROGRAMS.test(path) || path.startsWith('/assets/'))
      return sendProblem(
        request,
        reply,
        new HostwrightError('not_found', { message: `there is nothing at ${path.slice(0, 200)}` }),
      );
    if (!existsSync(join(folder, 'index.html')))
      return reply
        .code(200)
        .type('text/html; charset=utf-8')
        .header('cache-control', 'no-store')
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
        .send(NOT_BUILT);
    // files of the console's root (icons, manifest) by their name, everything else is its router's
    const file =
      /^\/[\w-]+\.(svg|png|ico|webmanifest|txt|json)$/.test(path) && existsSync(join(folder, path))
        ? path.slice(1)
        : 'index.html';
    void reply.header('cache-control', 'no-cache');
    return reply.sendFile(file, { cacheControl: false });
  });
};
