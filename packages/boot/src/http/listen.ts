/**
 * A plain HTTP listener for loaders, which trust no CA of ours. It offers the boot paths and nothing
 * else; agents and installers speak to the server over TLS.
 */
import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Server as SocketServer } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { BootDeps } from '../boot/deps.ts';
import { answerBootRequest, logPath, type BootHttpAnswer } from './answer.ts';

export interface BootListener {
  readonly port: number;
  /** Whoever is being served is cut off, as by a bad line. */
  cut(): void;
  close(): Promise<void>;
}

const MAX_BODY = 256 * 1024;
/**
 * A loader that takes nothing for so long is gone, or only means to hold its file open. Longer than
 * anything takes that makes an honest one wait: hashing a large image, fetching a package.
 */
const PATIENCE_MS = 600_000;
/** Each may hold a file open as well, and the server shares its limit with all of them. */
const MOST_CONNECTIONS = 4000;

const readBody = async (request: IncomingMessage): Promise<string | null> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

export const writeAnswer = async (
  answer: BootHttpAnswer,
  response: ServerResponse,
): Promise<void> => {
  response.writeHead(answer.status, { ...answer.headers });
  if (typeof answer.body === 'string' || Buffer.isBuffer(answer.body)) {
    response.end(answer.body);
    return;
  }
  const { path, start, end } = answer.body;
  await pipeline(createReadStream(path, { start, end, highWaterMark: 1 << 18 }), response).catch(
    () => {
      // a loader that goes away in the middle of a file is no error of ours
    },
  );
};

export const listenForLoaders = async (
  deps: BootDeps,
  options: (
    | { readonly host: string; readonly port: number }
    /** A socket that listens already, perhaps in another network namespace. */
    | { readonly socket: SocketServer }
  ) & { readonly patienceMs?: number },
): Promise<BootListener> => {
  const server = createServer((request, response) => {
    const handle = async () => {
      const body = await readBody(request);
      if (body === null) {
        response.writeHead(413, { connection: 'close' }).end('too large\n');
        return;
      }
      const answer = await answerBootRequest(deps, {
        method: request.method ?? 'GET',
        url: request.url ?? '/',
        headers: request.headers,
        body,
      });
      await writeAnswer(answer, response);
    };
    handle().catch((error: unknown) => {
      deps.log.warn({ err: error, path: logPath(request.url ?? '') }, 'boot request failed');
      response.destroy();
    });
  });
  server.headersTimeout = 20_000;
  server.requestTimeout = 120_000;
  server.timeout = options.patienceMs ?? PATIENCE_MS;
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if ('socket' in options) server.listen(options.socket, resolve);
    else server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { port, cut: () => server.closeAllConnections(), close };
};
