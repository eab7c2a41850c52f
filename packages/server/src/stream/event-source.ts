/**
 * One server-sent event stream. A client that does not read is dropped, not buffered for: it comes
 * back with Last-Event-ID and loses nothing.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

const PING_MS = 15_000;
const STALL_SECONDS = 30;

export interface EventSink {
  /** False: the client is gone. */
  send(message: { readonly id?: string; readonly event?: string; readonly data: string }): boolean;
  /**
   * Resolves when what was sent has left, or the client is gone. To be awaited after each send:
   * then no more than one event waits in memory for a client, however slow it is.
   */
  drained(): Promise<void>;
  end(): void;
  readonly closed: AbortSignal;
}

export const openEventSink = (
  request: FastifyRequest,
  reply: FastifyReply,
  stallSeconds = STALL_SECONDS,
): EventSink => {
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
    drained: async () => {
      if (!raw.writableNeedDrain || closed.signal.aborted) return;
      const done = Promise.withResolvers<void>();
      const stalled = setTimeout(() => {
        request.log.info(
          { buffered: raw.writableLength },
          'event stream client does not read; dropped',
        );
        raw.destroy();
        close();
      }, stallSeconds * 1000);
      raw.once('drain', done.resolve);
      closed.signal.addEventListener('abort', () => done.resolve(), { once: true });
      await done.promise;
      clearTimeout(stalled);
      raw.off('drain', done.resolve);
    },
    end() {
      close();
      raw.end();
    },
  };
};
