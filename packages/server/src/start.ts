/** Listens, and stops cleanly: no new requests, open ones finished, streams ended. */
import { HostwrightError } from '@hostwright/core';
import { createServer, type Server, type ServerOptions } from './compose.ts';
import { DEFAULTS } from './config.ts';

export interface StartedServer extends Server {
  /** Where it is reached, from the config or as the OS gave the port. */
  readonly url: string;
  readonly port: number;
}

export const startServer = async (options: ServerOptions): Promise<StartedServer> => {
  const server = await createServer(options);
  const host = options.config.host ?? DEFAULTS.host;
  const port = options.config.port ?? DEFAULTS.port;
  try {
    await server.app.listen({ host, port });
  } catch (error) {
    await server.close();
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new HostwrightError('conflict', {
        message: `port ${port} is in use; choose another with --port`,
        cause: error,
      });
    if (code === 'EACCES')
      throw new HostwrightError('forbidden', {
        message: `port ${port} may not be used by this user`,
        cause: error,
      });
    throw error;
  }
  const address = server.app.server.address();
  return {
    ...server,
    url: server.context.url(),
    port: typeof address === 'object' && address !== null ? address.port : port,
  };
};
