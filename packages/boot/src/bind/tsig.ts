/** Signs an update and checks the signature of its answer (RFC 8945). The secret stays in memory. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { nameBytes, recordBytes, skipName, TYPES, u16, u32 } from './wire.ts';

export interface TsigKey {
  readonly name: string;
  readonly algorithm: 'hmac-sha256' | 'hmac-sha512';
  readonly secret: string;
}

const FUDGE_SECONDS = 300;
const ANY_CLASS = 255;

const digest = (key: TsigKey, parts: readonly Buffer[]): Buffer => {
  const hmac = createHmac(
    key.algorithm === 'hmac-sha256' ? 'sha256' : 'sha512',
    Buffer.from(key.secret, 'base64'),
  );
  for (const part of parts) hmac.update(part);
  return hmac.digest();
};

const seconds48 = (seconds: number): Buffer =>
  Buffer.concat([u16(Math.floor(seconds / 2 ** 32)), u32(seconds % 2 ** 32)]);

export const signMessage = (
  message: Buffer,
  key: TsigKey,
  now: number,
): { readonly signed: Buffer; readonly mac: Buffer } => {
  const time = Buffer.concat([seconds48(now), u16(FUDGE_SECONDS)]);
  const noError = Buffer.concat([u16(0), u16(0)]);
  const algorithm = nameBytes(key.algorithm);
  const head = Buffer.concat([nameBytes(key.name), u16(ANY_CLASS), u32(0), algorithm]);
  const mac = digest(key, [message, head, time, noError]);
  const data = Buffer.concat([
    algorithm,
    time,
    u16(mac.length),
    mac,
    message.subarray(0, 2),
    noError,
  ]);
  const signed = Buffer.concat([
    message,
    recordBytes({ name: key.name, type: TYPES.TSIG, class: ANY_CLASS, ttl: 0, data }),
  ]);
  signed.writeUInt16BE(message.readUInt16BE(10) + 1, 10);
  return { signed, mac };
};

/** The last record of a signed answer is its signature. */
const findSignature = (
  answer: Buffer,
): { readonly start: number; readonly data: number } | null => {
  const records = answer.readUInt16BE(6) + answer.readUInt16BE(8) + answer.readUInt16BE(10);
  let at = 12;
  for (let left = answer.readUInt16BE(4); left > 0; left--) at = skipName(answer, at) + 4;
  for (let left = records; left > 0; left--) {
    const start = at;
    at = skipName(answer, at);
    if (left === 1) return answer.readUInt16BE(at) === TYPES.TSIG ? { start, data: at + 10 } : null;
    at += 10 + answer.readUInt16BE(at + 8);
  }
  return null;
};

export const isSignedBy = (answer: Buffer, key: TsigKey, requestMac: Buffer): boolean => {
  const found = findSignature(answer);
  if (found === null) return false;
  const at = skipName(answer, found.data);
  const length = answer.readUInt16BE(at + 8);
  const mac = answer.subarray(at + 10, at + 10 + length);
  const body = Buffer.from(answer.subarray(0, found.start));
  body.writeUInt16BE(body.readUInt16BE(10) - 1, 10);
  const expected = digest(key, [
    u16(requestMac.length),
    requestMac,
    body,
    nameBytes(key.name),
    u16(ANY_CLASS),
    u32(0),
    nameBytes(key.algorithm),
    answer.subarray(at, at + 8),
    answer.subarray(at + 12 + length, at + 16 + length),
  ]);
  return mac.length === expected.length && timingSafeEqual(mac, expected);
};
