/** One POST: no redirects, a time limit, and of the answer only the first kilobytes are read. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { guardedLookup, hostOf, isInnerHost } from './target.ts';

export interface SendOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly allowInner: boolean;
  readonly signal: AbortSignal;
}

const MAX_ANSWER = 16 * 1024;

export const send = (options: SendOptions): Promise<{ readonly status: number }> => {
  const url = new URL(options.url);
  const host = hostOf(url);
  // A literal address is never looked up, so the guard in the lookup would not see it.
  if (!options.allowInner && isInnerHost(host))
    return Promise.reject(
      new Error(`${host} is an inner address, which the setting webhook.allowInner refuses`),
    );
  const { promise, resolve, reject } = Promise.withResolvers<{ readonly status: number }>();
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(
    url,
    {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(options.body),
        'user-agent': 'Hostwright',
        ...options.headers,
      },
      agent: false,
      lookup: guardedLookup(options.allowInner),
      signal: options.signal,
    },
    (answer) => {
      let size = 0;
      const done = () => {
        resolve({ status: answer.statusCode ?? 0 });
        answer.destroy();
      };
      answer.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_ANSWER) done();
      });
      answer.on('end', done);
      answer.on('error', reject);
    },
  );
  request.on('error', reject);
  request.end(options.body);
  return promise;
};
