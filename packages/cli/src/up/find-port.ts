import { createServer } from 'node:net';
import { Failure } from '../failure.ts';

/** Tries the port before anything is started: a port in use is the likeliest trouble of a first start. */
export const findPort = (host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const sentence =
        error.code === 'EADDRINUSE'
          ? `port ${port} on ${host} is in use by another program`
          : error.code === 'EACCES'
            ? `port ${port} needs rights this user does not have`
            : `${host}:${port} cannot be listened on (${error.code ?? error.message})`;
      const advice =
        error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND'
          ? 'give an address of this machine with --listen'
          : 'choose another with --port';
      reject(new Failure('surroundings', sentence, { advice, cause: error }));
    });
    probe.listen({ host, port }, () => {
      const address = probe.address();
      const found = address !== null && typeof address === 'object' ? address.port : port;
      probe.close(() => resolve(found));
    });
  });
