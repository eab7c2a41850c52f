/**
 * HTTPS to one server over kept connections. A machine is known by its token, not by its
 * connection, so the fleet shares a pool: each long poll holds one connection, reports borrow one.
 */
import { lookup } from 'node:dns/promises';
import { Agent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';

export interface Ask {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token?: string;
  readonly bootId?: string;
  readonly body?: string | Buffer;
  readonly contentType?: string;
  readonly timeoutSeconds?: number;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly retryAfterSeconds: number | undefined;
}

export interface Wire {
  ask(ask: Ask): Promise<Answer>;
  /** Connections open now. */
  connections(): number;
  close(): void;
}

const LARGEST_ANSWER = 16 * 1024 * 1024;

export const openWire = (options: { readonly url: string; readonly ca: string }): Wire => {
  const base = new URL(options.url);
  const agent = new Agent({
    keepAlive: true,
    keepAliveMsecs: 30_000,
    maxSockets: Infinity,
    maxFreeSockets: 256,
    scheduling: 'lifo',
    // one for all: made anew for each connection it was a quarter of a machine's cost
    secureContext: createSecureContext({ ca: options.ca }),
    // each machine is met as a stranger, as a real one is
    maxCachedSessions: 0,
  });
  let address: Promise<string> | undefined;
  const findAddress = (): Promise<string> => {
    // asked once: ten thousand machines on one computer would ask the resolver ten thousand times
    address ??= lookup(base.hostname).then((found) => found.address);
    address.catch(() => {
      address = undefined;
    });
    return address;
  };
  const count = (sockets: NodeJS.ReadOnlyDict<readonly unknown[]>): number =>
    Object.values(sockets).reduce((sum, list) => sum + (list?.length ?? 0), 0);

  const ask = async (wanted: Ask): Promise<Answer> => {
    const host = await findAddress();
    return new Promise((resolve, reject) => {
      const body = wanted.body === undefined ? undefined : Buffer.from(wanted.body);
      const sent = httpsRequest(
        {
          agent,
          host,
          ...(isIP(base.hostname) === 0 && { servername: base.hostname }),
          port: base.port === '' ? 443 : Number(base.port),
          method: wanted.method,
          path: wanted.path,
          timeout: (wanted.timeoutSeconds ?? 30) * 1000,
          ...(wanted.signal && { signal: wanted.signal }),
          headers: {
            host: base.host,
            'user-agent': 'hostwright-simulator',
            ...(wanted.token !== undefined && { authorization: `Bearer ${wanted.token}` }),
            ...(wanted.bootId !== undefined && { 'x-hostwright-boot': wanted.bootId }),
            ...(body !== undefined && {
              'content-type': wanted.contentType ?? 'application/json',
              'content-length': String(body.length),
            }),
          },
        },
        (response) => {
          const parts: Buffer[] = [];
          let size = 0;
          response.on('data', (part: Buffer) => {
            size += part.length;
            if (size > LARGEST_ANSWER) sent.destroy(new Error('the answer is too large'));
            else parts.push(part);
          });
          response.once('error', reject);
          response.once('end', () => {
            const after = Number(response.headers['retry-after']);
            resolve({
              status: response.statusCode ?? 0,
              body: Buffer.concat(parts),
              retryAfterSeconds: Number.isFinite(after) ? after : undefined,
            });
          });
        },
      );
      sent.once('timeout', () => sent.destroy(new Error('no answer in time')));
      sent.once('error', reject);
      sent.end(body);
    });
  };

  return {
    ask,
    connections: () => count(agent.sockets) + count(agent.freeSockets),
    close: () => agent.destroy(),
  };
};

/** `key=value` lines, as the agent's protocol answers. */
export const readLines = (body: Buffer): ReadonlyMap<string, string> =>
  new Map(
    body
      .toString('utf8')
      .split('\n')
      .filter((line) => line.includes('='))
      .map(
        (line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const,
      ),
  );
