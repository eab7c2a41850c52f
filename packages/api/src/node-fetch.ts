/**
 * fetch for Node with a private CA: trusts the given certificate, and nothing else that the
 * system does not trust. Only for Node; the browser has its own trust store.
 */
import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { rootCertificates } from 'node:tls';
import type { Fetch } from './client.ts';

export interface NodeFetchOptions {
  /** PEM of the CA to trust besides the usual ones. */
  readonly ca?: string;
}

const toHeaders = (raw: readonly string[]): Headers => {
  const headers = new Headers();
  for (let index = 0; index + 1 < raw.length; index += 2)
    headers.append(raw[index] ?? '', raw[index + 1] ?? '');
  return headers;
};

const NO_BODY = new Set([101, 204, 205, 304]);

export const createNodeFetch = (options: NodeFetchOptions = {}): Fetch => {
  const agent = new Agent({
    keepAlive: true,
    ...(options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] }),
  });
  return (url, init = {}) =>
    new Promise((resolve, reject) => {
      const target = new URL(url);
      const secure = target.protocol === 'https:';
      const request = (secure ? httpsRequest : httpRequest)(
        target,
        {
          method: init.method ?? 'GET',
          headers: Object.fromEntries(new Headers(init.headers)),
          ...(secure ? { agent } : {}),
          ...(init.signal ? { signal: init.signal } : {}),
        },
        (message) => {
          const status = message.statusCode ?? 0;
          const empty = NO_BODY.has(status);
          if (empty) message.resume();
          resolve(
            new Response(
              empty ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array<ArrayBuffer>>),
              { status, headers: toHeaders(message.rawHeaders) },
            ),
          );
        },
      );
      request.on('error', reject);
      if (init.body instanceof ReadableStream) {
        // an answer that comes before the last byte has gone is an answer all the same
        pipeline(init.body, request).catch(reject);
        return;
      }
      if (typeof init.body === 'string')
        request.setHeader('content-length', Buffer.byteLength(init.body));
      request.end(typeof init.body === 'string' ? init.body : undefined);
    });
};
