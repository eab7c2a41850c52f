/** Sends a file, or what an address gives, to be served to machines: whole and checked, or not at all. */
import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { boot_file_put } from '@hostwright/api/nouns/boot-file';
import { connect } from '../../connect.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';
import type { Output } from '../../output.ts';

interface Source {
  readonly bytes: ReadableStream<Uint8Array>;
  readonly size: number | undefined;
}

const openFile = (path: string): Source => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) throw new Failure('usage', `there is no file ${path}`);
  return {
    bytes: Readable.toWeb(createReadStream(path, { highWaterMark: 1 << 18 })),
    size: found.size,
  };
};

const openUrl = async (url: URL, sha256: string | undefined): Promise<Source> => {
  if (url.protocol === 'http:' && sha256 === undefined)
    throw new Failure('usage', 'what comes without TLS may be anything', {
      advice: 'give --sha256, or an https address',
    });
  const answer = await fetch(url).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Failure('surroundings', `${url.host} cannot be reached: ${String(cause)}`);
  });
  if (!answer.ok || answer.body === null)
    throw new Failure('surroundings', `${url.href} answered ${answer.status}`);
  const length = answer.headers.get('content-length');
  const plain = answer.headers.get('content-encoding') === null;
  return { bytes: answer.body, size: length !== null && plain ? Number(length) : undefined };
};

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** How far it has come, redrawn in place for whoever looks. */
const counting = (out: Output, { bytes, size }: Source): ReadableStream<Uint8Array> => {
  if (!out.live) return bytes;
  let sent = 0;
  let drawn = 0;
  return bytes.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, to) => {
        sent += chunk.length;
        to.enqueue(chunk);
        if (performance.now() - drawn < 200) return;
        drawn = performance.now();
        const all = size === undefined ? '' : ` of ${megabytes(size)}`;
        out.raw(`\r\u001b[2K${megabytes(sent)}${all}`);
      },
      flush: () => out.raw('\r\u001b[2K'),
    }),
  );
};

export const run = async (call: Invocation): Promise<void> => {
  const given = call.arg('source');
  const sha256 = call.text('sha256')?.toLowerCase();
  const client = connect(call);
  const source = /^https?:\/\//.test(given)
    ? await openUrl(new URL(given), sha256)
    : openFile(given);
  const query = {
    path: call.arg('path'),
    ...(sha256 !== undefined && { sha256 }),
    ...(source.size !== undefined && { size: source.size }),
  };
  const file = await client.call(boot_file_put, { query }, { bytes: counting(call.out, source) });
  call.out.answer(file, () => {
    call.out.line(`${file.path} is served (${megabytes(file.size)})`);
    call.out.line(`  sha256 ${file.sha256}`);
  });
};
