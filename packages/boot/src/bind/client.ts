/**
 * A connection to a DNS server over TCP, for many updates and questions one after the other: an
 * update takes about a millisecond, where a process per update took 150.
 */
import { randomInt } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { HostwrightError } from '@hostwright/core';
import { isSignedBy, signMessage, type TsigKey } from './tsig.ts';
import {
  questionBytes,
  readAnswer,
  TYPES,
  u16,
  updateBytes,
  valueBytes,
  type Change,
  type RecordType,
} from './wire.ts';

const PATIENCE_MS = 10_000;
const CODES: Readonly<Record<number, string>> = {
  1: 'FORMERR',
  2: 'SERVFAIL',
  4: 'NOTIMP',
  5: 'REFUSED',
  8: 'NXRRSET',
  9: 'NOTAUTH',
  10: 'NOTZONE',
};

export interface DnsClient {
  /** One zone, all or nothing. Throws unless the server took it and signed that. */
  update(zone: string, changes: readonly Change[], ttl: number): Promise<void>;
  holds(record: {
    readonly name: string;
    readonly type: RecordType;
    readonly value: string;
  }): Promise<boolean>;
  /** False once the connection has failed: nothing more can be said on it. */
  isOpen(): boolean;
  close(): void;
}

const unavailable = (message: string, cause?: unknown): HostwrightError =>
  new HostwrightError('unavailable', { message, cause });

const openSocket = (host: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    socket.setNoDelay(true);
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('no answer in time')));
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error) =>
      reject(unavailable(`the DNS server does not answer: ${error.message}`, error)),
    );
  });

/** One message at a time: the answer to the last one is what comes next. */
const exchanger = (socket: Socket) => {
  let pending = Buffer.alloc(0);
  let waiting: PromiseWithResolvers<Buffer> | null = null;
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    if (pending.length < 2 || pending.length < 2 + pending.readUInt16BE(0)) return;
    const end = 2 + pending.readUInt16BE(0);
    const answer = pending.subarray(2, end);
    pending = pending.subarray(end);
    waiting?.resolve(answer);
  });
  const fail = (error?: Error): void =>
    waiting?.reject(
      unavailable(
        `the DNS server ended the connection${error === undefined ? '' : `: ${error.message}`}`,
        error,
      ),
    );
  socket.on('error', fail);
  socket.on('close', () => fail());
  return async (message: Buffer): Promise<Buffer> => {
    waiting = Promise.withResolvers<Buffer>();
    socket.write(Buffer.concat([u16(message.length), message]));
    const answer = await waiting.promise;
    if (answer.length < 12 || answer.readUInt16BE(0) !== message.readUInt16BE(0))
      throw unavailable('the DNS server answered something else');
    return answer;
  };
};

export const openDnsClient = async (options: {
  readonly server: string;
  readonly port: number;
  readonly key: TsigKey;
}): Promise<DnsClient> => {
  const { key } = options;
  const socket = await openSocket(options.server, options.port);
  const exchange = exchanger(socket);
  return {
    update: async (zone, changes, ttl) => {
      const message = updateBytes(randomInt(65_536), zone, changes, ttl);
      const { signed, mac } = signMessage(message, key, Math.floor(Date.now() / 1000));
      const answer = await exchange(signed);
      const code = answer.readUInt16BE(2) & 15;
      if (code !== 0)
        throw unavailable(`the DNS server refused the update of ${zone}: ${CODES[code] ?? code}`);
      if (!isSignedBy(answer, key, mac))
        throw unavailable('the answer to the update is not signed with our key');
    },
    holds: async ({ name, type, value }) => {
      const answer = readAnswer(
        await exchange(questionBytes(randomInt(65_536), name, TYPES[type])),
        type,
      );
      const wanted = valueBytes(type, value);
      return answer.code === 0 && answer.values.some((found) => found.equals(wanted));
    },
    isOpen: () => !socket.destroyed && socket.writable,
    close: () => socket.destroy(),
  };
};
