/**
 * HTTPS to one server over kept connections. A machine is known by its token, not by its
 * connection, so the fleet shares a pool: each long poll holds one connection, reports borrow one.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { openConnection, type Answer, type Connection } from './connection.ts';

export type { Answer } from './connection.ts';

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

export interface Wire {
  ask(ask: Ask): Promise<Answer>;
  /** Connections open now. */
  connections(): number;
  close(): void;
}

const MOST_FREE = 256;

const requestOf = (wanted: Ask, host: string): Buffer => {
  const body = wanted.body === undefined ? undefined : Buffer.from(wanted.body);
  const head = [
    `${wanted.method} ${wanted.path} HTTP/1.1`,
    `host: ${host}`,
    'user-agent: hostwright-simulator',
    ...(wanted.token === undefined ? [] : [`authorization: Bearer ${wanted.token}`]),
    ...(wanted.bootId === undefined ? [] : [`x-hostwright-boot: ${wanted.bootId}`]),
    ...(body === undefined
      ? []
      : [
          `content-type: ${wanted.contentType ?? 'application/json'}`,
          `content-length: ${body.length}`,
        ]),
  ];
  const start = Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1');
  return body === undefined ? start : Buffer.concat([start, body]);
};

export const openWire = (options: { readonly url: string; readonly ca: string }): Wire => {
  const base = new URL(options.url);
  // one for all: made anew for each connection it was a quarter of a machine's cost
  const secureContext = createSecureContext({ ca: options.ca });
  const open = new Set<Connection>();
  // the last one used is the first to be used again
  const free: Connection[] = [];
  // asked once: ten thousand machines on one computer would ask the resolver ten thousand times
  let address: Promise<string> | undefined;
  const findAddress = (): Promise<string> => {
    address ??= lookup(base.hostname.replace(/^\[|\]$/g, '')).then((found) => found.address);
    address.catch(() => {
      address = undefined;
    });
    return address;
  };

  const take = async (): Promise<Connection> => {
    for (let kept = free.pop(); kept !== undefined; kept = free.pop())
      if (!kept.closed) return kept;
    const host = await findAddress();
    const connection = openConnection({
      host,
      port: base.port === '' ? 443 : Number(base.port),
      servername: isIP(base.hostname.replace(/^\[|\]$/g, '')) === 0 ? base.hostname : undefined,
      secureContext,
      onClose: () => open.delete(connection),
    });
    open.add(connection);
    return connection;
  };

  const ask = async (wanted: Ask): Promise<Answer> => {
    const connection = await take();
    const { answer, kept } = await connection.exchange(requestOf(wanted, base.host), {
      timeoutMs: (wanted.timeoutSeconds ?? 30) * 1000,
      signal: wanted.signal,
    });
    if (kept && free.length < MOST_FREE) free.push(connection);
    else connection.close();
    return answer;
  };

  return {
    ask,
    connections: () => open.size,
    close: () => {
      for (const connection of open) connection.close();
    },
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
