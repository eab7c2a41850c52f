/**
 * The little of tar that a backup needs: plain files, written and read as streams, so that a backup
 * can be listed with `tar --zstd -tf` and never has to fit into memory.
 */
import { HostwrightError } from '@hostwright/core';

const BLOCK = 512;
const LONGEST_NAME = 100;

export interface TarEntry {
  readonly name: string;
  readonly body: Buffer;
}

export const damaged = (why: string): HostwrightError =>
  new HostwrightError('bad_input', { message: `this is no usable backup: ${why}` });

const octal = (value: number, digits: number): string =>
  `${value.toString(8).padStart(digits - 1, '0')}\0`;

const tarHeader = (name: string, size: number, mtimeSeconds: number): Buffer => {
  if (Buffer.byteLength(name) > LONGEST_NAME)
    throw new Error(`the name ${name} is too long for tar`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write(octal(0o600, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(mtimeSeconds, 12), 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
};

export const tarEntry = (name: string, body: Buffer, mtimeSeconds: number): Buffer => {
  const padding = (BLOCK - (body.length % BLOCK)) % BLOCK;
  return Buffer.concat([tarHeader(name, body.length, mtimeSeconds), body, Buffer.alloc(padding)]);
};

export const tarEnd = (): Buffer => Buffer.alloc(BLOCK * 2);

const field = (header: Buffer, from: number, length: number): string => {
  const text = header.subarray(from, from + length).toString('latin1');
  const end = text.indexOf('\0');
  return (end < 0 ? text : text.slice(0, end)).trim();
};

const checkHeader = (header: Buffer): void => {
  const said = Number.parseInt(field(header, 148, 8), 8);
  const blank = Buffer.from(header);
  blank.fill(0x20, 148, 156);
  if (blank.reduce((total, byte) => total + byte, 0) !== said)
    throw damaged('a header does not add up');
};

/** Entries in order. Ends at the end mark; a stream that ends before it was cut off. */
export async function* readTar(
  source: AsyncIterable<Buffer>,
  largest: number,
): AsyncGenerator<TarEntry, void, void> {
  let held = Buffer.alloc(0);
  const chunks = source[Symbol.asyncIterator]();
  const take = async (size: number): Promise<Buffer> => {
    const parts: Buffer[] = [held];
    let have = held.length;
    while (have < size) {
      const next = await chunks.next();
      if (next.done === true) throw damaged('it is cut off');
      parts.push(next.value);
      have += next.value.length;
    }
    const all = parts.length === 1 ? held : Buffer.concat(parts);
    held = all.subarray(size);
    return all.subarray(0, size);
  };
  for (;;) {
    const header = await take(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    checkHeader(header);
    const size = Number.parseInt(field(header, 124, 12), 8);
    if (!Number.isInteger(size) || size < 0 || size > largest)
      throw damaged('a size is out of range');
    const body = Buffer.from(await take(size));
    await take((BLOCK - (size % BLOCK)) % BLOCK);
    yield { name: field(header, 0, LONGEST_NAME), body };
  }
}
