/**
 * One server-sent event stream. A client that does not read is dropped, not buffered for: it comes
 * back with Last-Event-ID and loses nothing.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

const PING_MS = 15_000;
/** What may wait in memory for one client before it is taken for gone. */
const MOST_BUFFERED = 1024 * 1024;

export interface EventSink {
  /** False: the client is gone. */
  send(message: { readonly id?: string; readonly event?: string; readonly data: string }): boolean;
  /** Resolves when what was sent has left; rejects never. */
  drained(): Promise<void>;
  end(): void;
  readonly closed: AbortSignal;
}

export const openEventSink = (request: FastifyRequest, reply: FastifyReply): EventSink => {
  const closed = new AbortController();
  reply.hijack();
  const raw = reply.raw;
  const headers: Record<string, string> = {};
  for (const [key, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) headers[key] = String(value);
  raw.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // nginx would hold events back otherwise
    'x-accel-buffering': 'no',
    connection: 'keep-alive',
  });
  raw.flushHeaders();
  raw.write('retry: 1000\n\n');
  const close = (): void => {
    clearInterval(ping);
    closed.abort();
  };
  const write = (text: string): boolean => {
    if (closed.signal.aborted || raw.destroyed) return false;
    raw.write(text);
    if (raw.writableLength > MOST_BUFFERED) {
      request.log.info({ buffered: raw.writableLength }, 'event stream client too slow; dropped');
      raw.destroy();
      close();
      return false;
    }
    return true;
  };
  const ping = setInterval(() => write(': ping\n\n'), PING_MS);
  raw.on('close', close);
  raw.on('error', close);
  return {
    closed: closed.signal,
    send({ id, event, data }) {
      const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
      return write(`${head}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`);
    },
    drained: () =>
      raw.writableNeedDrain && !closed.signal.aborted
        ? new Promise((resolve) => {
            raw.once('drain', resolve);
            closed.signal.addEventListener('abort', () => resolve(), { once: true });
          })
        : Promise.resolve(),
    end() {
      close();
      raw.end();
    },
  };
};
