/**
 * One kept HTTPS connection, one exchange at a time. Node's own client keeps 25 KB more per
 * connection and takes half as long again per call, which ten thousand machines in one process feel.
 */
import { connect, type SecureContext, type TLSSocket } from 'node:tls';

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly retryAfterSeconds: number | undefined;
}

export interface Connection {
  /** The connection may be used again when this resolved with `kept`. */
  exchange(request: Buffer, limits: Limits): Promise<{ answer: Answer; kept: boolean }>;
  readonly closed: boolean;
  close(): void;
}

export interface Limits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

const LARGEST_ANSWER = 16 * 1024 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');

/** The answer and how long it was, or undefined while it is not whole. */
export const readAnswer = (
  bytes: Buffer,
): { readonly answer: Answer; readonly kept: boolean } | undefined => {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const header = (name: string): string | undefined =>
    new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*$`, 'im').exec(head)?.[1];
  const status = Number(/^HTTP\/1\.[01] ([0-9]{3})/.exec(head)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) throw new Error('what came is not HTTP');
  if (header('transfer-encoding') !== undefined)
    throw new Error('an answer in chunks: nothing that machines are told is so long');
  const length = status === 204 || status === 304 ? 0 : Number(header('content-length') ?? 0);
  const from = end + HEAD_END.length;
  if (bytes.length < from + length) return undefined;
  const after = Number(header('retry-after') ?? Number.NaN);
  return {
    answer: {
      status,
      body: Buffer.from(bytes.subarray(from, from + length)),
      retryAfterSeconds: Number.isFinite(after) ? after : undefined,
    },
    kept: !/close/i.test(header('connection') ?? ''),
  };
};

export const openConnection = (options: {
  readonly host: string;
  readonly port: number;
  readonly servername: string | undefined;
  readonly secureContext: SecureContext;
  readonly onClose: () => void;
}): Connection => {
  let failure = new Error('the connection was closed');
  let heard: ((bytes: Buffer) => void) | undefined;
  let failed: ((error: Error) => void) | undefined;
  const socket: TLSSocket = connect({
    host: options.host,
    port: options.port,
    secureContext: options.secureContext,
    ...(options.servername !== undefined && { servername: options.servername }),
  });
  socket.setNoDelay(true);
  socket.on('data', (bytes: Buffer) => heard?.(bytes));
  socket.on('error', (error: Error) => {
    failure = error;
  });
  socket.on('end', () => socket.destroy());
  socket.on('close', () => {
    failed?.(failure);
    options.onClose();
  });

  const exchange = (request: Buffer, limits: Limits): Promise<{ answer: Answer; kept: boolean }> =>
    new Promise((resolve, reject) => {
      const parts: Buffer[] = [];
      let size = 0;
      const give = (why: string) => () => {
        failure = new Error(why);
        socket.destroy();
      };
      const cut = give('stopped');
      const timer = setTimeout(give('no answer in time'), limits.timeoutMs);
      const done = (): void => {
        clearTimeout(timer);
        limits.signal?.removeEventListener('abort', cut);
        heard = undefined;
        failed = undefined;
      };
      failed = (error) => {
        done();
        reject(error);
      };
      heard = (bytes) => {
        parts.push(bytes);
        size += bytes.length;
        try {
          if (size > LARGEST_ANSWER) throw new Error('the answer is too large');
          const read = readAnswer(parts.length === 1 ? bytes : Buffer.concat(parts, size));
          if (read === undefined) return;
          done();
          resolve(read);
        } catch (error) {
          failure = error instanceof Error ? error : new Error(String(error));
          socket.destroy();
        }
      };
      if (socket.destroyed) failed(failure);
      else if (limits.signal?.aborted === true) cut();
      else {
        limits.signal?.addEventListener('abort', cut, { once: true });
        socket.write(request);
      }
    });

  return {
    exchange,
    get closed() {
      return socket.destroyed;
    },
    close: () => socket.destroy(),
  };
};
