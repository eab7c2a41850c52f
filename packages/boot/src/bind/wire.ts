/**
 * DNS messages as bytes, as far as updates and the questions that prove them need it (RFC 1035, 2136,
 * 4255). Pure. Names are checked here once more: what is no DNS name never reaches a server.
 */
import { HostwrightError } from '@hostwright/core';
import { readAddress } from '../address/number.ts';

export const TYPES = { A: 1, SOA: 6, PTR: 12, AAAA: 28, SSHFP: 44, TSIG: 250, ANY: 255 } as const;
export type RecordType = 'A' | 'AAAA' | 'PTR' | 'SSHFP';

export const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};

export const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

export const nameBytes = (name: string): Buffer => {
  const labels = name.replace(/\.$/, '').toLowerCase().split('.');
  const parts = labels.map((label) => {
    if (!/^[a-z0-9_-]{1,63}$/.test(label))
      throw new HostwrightError('bad_input', { message: 'a name is no DNS name' });
    return Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]);
  });
  return Buffer.concat([...parts, Buffer.from([0])]);
};

const addressBytes = (text: string): Buffer => {
  const number = readAddress(text);
  if (number === null)
    throw new HostwrightError('bad_input', { message: 'an address is not valid' });
  return Buffer.from(number.value.toString(16).padStart(number.family === 4 ? 8 : 32, '0'), 'hex');
};

/** The value of a record as bytes, from the text of a zone file. */
export const valueBytes = (type: RecordType, value: string): Buffer => {
  if (type === 'PTR') return nameBytes(value);
  if (type !== 'SSHFP') return addressBytes(value);
  const [algorithm = '', kind = '', print = ''] = value.split(' ');
  return Buffer.concat([Buffer.from([Number(algorithm), Number(kind)]), Buffer.from(print, 'hex')]);
};

export const recordBytes = (record: {
  readonly name: string;
  readonly type: number;
  readonly class: number;
  readonly ttl: number;
  readonly data: Buffer;
}): Buffer =>
  Buffer.concat([
    nameBytes(record.name),
    u16(record.type),
    u16(record.class),
    u32(record.ttl),
    u16(record.data.length),
    record.data,
  ]);

export const questionBytes = (id: number, name: string, type: number): Buffer =>
  Buffer.concat([
    u16(id),
    u16(0),
    u16(1),
    u16(0),
    u16(0),
    u16(0),
    nameBytes(name),
    u16(type),
    u16(1),
  ]);

export interface Change {
  readonly action: 'add' | 'delete';
  readonly name: string;
  readonly type: RecordType;
  readonly value: string;
}

const IN = 1;
const NONE = 254;

/** An update of one zone: taken as a whole or not at all. */
export const updateBytes = (
  id: number,
  zone: string,
  changes: readonly Change[],
  ttl: number,
): Buffer =>
  Buffer.concat([
    u16(id),
    u16(5 << 11),
    u16(1),
    u16(0),
    u16(changes.length),
    u16(0),
    nameBytes(zone),
    u16(TYPES.SOA),
    u16(IN),
    ...changes.map(({ action, name, type, value }) =>
      recordBytes({
        name,
        type: TYPES[type],
        class: action === 'add' ? IN : NONE,
        ttl: action === 'add' ? ttl : 0,
        data: valueBytes(type, value),
      }),
    ),
  ]);

/** Past a name; a pointer ends it. */
export const skipName = (message: Buffer, from: number): number => {
  let at = from;
  for (;;) {
    const length = message.readUInt8(at);
    if (length >= 0xc0) return at + 2;
    if (length === 0) return at + 1;
    at += length + 1;
  }
};

/** Follows pointers, a bounded number of them. */
export const readName = (message: Buffer, from: number): string => {
  const labels: string[] = [];
  let at = from;
  for (let jumps = 0; jumps < 128 && labels.length < 128;) {
    const length = message.readUInt8(at);
    if (length === 0) break;
    if (length >= 0xc0) {
      at = message.readUInt16BE(at) & 0x3fff;
      jumps++;
      continue;
    }
    labels.push(message.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += length + 1;
  }
  return labels.join('.');
};

export interface Answered {
  readonly code: number;
  readonly truncated: boolean;
  /** Values of the asked type, as bytes; names written out. */
  readonly values: readonly Buffer[];
}

export const readAnswer = (message: Buffer, type: RecordType): Answered => {
  const flags = message.readUInt16BE(2);
  const values: Buffer[] = [];
  let at = 12;
  for (let left = message.readUInt16BE(4); left > 0; left--) at = skipName(message, at) + 4;
  for (let left = message.readUInt16BE(6); left > 0; left--) {
    at = skipName(message, at);
    const [found, length] = [message.readUInt16BE(at), message.readUInt16BE(at + 8)];
    const start = at + 10;
    at = start + length;
    if (found !== TYPES[type]) continue;
    values.push(type === 'PTR' ? nameBytes(readName(message, start)) : message.subarray(start, at));
  }
  return { code: flags & 15, truncated: (flags & 0x0200) !== 0, values };
};
