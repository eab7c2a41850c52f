/** The boot paths inside the server, over TLS: what installers and installed systems talk to. */
import { agentScript } from '@hostwright/agent';
import { openFileStore, registerBootRoutes, type BootDeps } from '@hostwright/boot';
import type { FastifyInstance } from 'fastify';
import type { ServerPlugin } from '../compose.ts';
import type { Context } from '../context.ts';

export interface BootOptions {
  /** Kernels, initrds, images. */
  readonly filesFolder: string;
  /** Where loaders ask, in plain HTTP: `http://10.0.0.1:8080`. */
  readonly bootUrl: string;
  /** Where machines reach this server, if not by its public URL. */
  readonly serverUrl?: string;
}

export const bootDeps = (context: Context, options: BootOptions): BootDeps => ({
  database: context.database,
  files: openFileStore(options.filesFolder),
  bootUrl: options.bootUrl,
  serverUrl: options.serverUrl ?? context.url(),
  caPem: context.tls?.caPem ?? context.tls?.certificatePem ?? '',
  agentScript: async () => agentScript(),
  log: context.log,
});

export const bootPlugin =
  (options: BootOptions): ServerPlugin =>
  async (app, context) => {
    await app.register(async (scope: FastifyInstance) => {
      // installers send forms and plain text
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
        done(null, body),
      );
      registerBootRoutes(scope, bootDeps(context, options));
    });
  };
