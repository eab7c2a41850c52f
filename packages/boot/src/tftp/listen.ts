/**
 * The boot endpoint by TFTP, for loaders that know no HTTP: shim and Debian's signed GRUB. The same
 * paths, the same decisions; besides them the loaders themselves. One socket for all transfers, as
 * `tftp-single-port` of dnsmasq: who asks is told by address and port. A request that is repeated
 * while its transfer lasts is the same request: a seed is handed out once.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import type { BootDeps } from '../boot/deps.ts';
import { answerBootRequest, logPath } from '../http/answer.ts';
import { fromBytes, fromFile, type Content } from './content.ts';
import { GRUB_START, LOADERS } from './loaders.ts';
import { readPacket, writeData, writeError, writeOptions, type ReadRequest } from './packet.ts';

export interface TftpListener {
  readonly port: number;
  close(): Promise<void>;
}

interface Transfer {
  readonly peer: RemoteInfo;
  readonly request: ReadRequest;
  content: Content | null;
  /** The block that awaits its acknowledgement; 0 = the options. */
  block: number;
  sent: Buffer;
  tries: number;
  timer: NodeJS.Timeout | undefined;
  busy: boolean;
}

const MOST_TRANSFERS = 1000;
/** A machine has one or two: one address must not use up what all others need. */
const MOST_OF_ONE = 8;
const RESEND_MS = 1000;
const MOST_TRIES = 8;

const openContent = async (deps: BootDeps, path: string): Promise<Content | null> => {
  const [, loader] = LOADERS.find(([name]) => name === path) ?? [];
  if (loader !== undefined) return fromFile(loader).catch(() => null);
  if (path === 'grub/grub.cfg') return fromBytes(Buffer.from(GRUB_START));
  const { status, body } = await answerBootRequest(deps, {
    method: 'GET',
    url: `/${path}`,
    headers: {},
    body: '',
  });
  if (status !== 200) return null;
  if (typeof body === 'string' || Buffer.isBuffer(body)) return fromBytes(Buffer.from(body));
  return fromFile(body.path, body.start, body.end);
};

export const listenForTftp = async (
  deps: BootDeps,
  options: { readonly host: string; readonly port: number } | { readonly socket: Socket },
): Promise<TftpListener> => {
  const socket = 'socket' in options ? options.socket : createSocket('udp4');
  const transfers = new Map<string, Transfer>();

  /** Of this transfer only: its key may be another's by now. */
  const end = (key: string, transfer = transfers.get(key)): void => {
    if (transfer === undefined) return;
    if (transfers.get(key) === transfer) transfers.delete(key);
    clearTimeout(transfer.timer);
    transfer.content?.close().catch(() => undefined);
    transfer.content = null;
  };
  const send = (key: string, transfer: Transfer): void => {
    clearTimeout(transfer.timer);
    if (transfer.tries++ >= MOST_TRIES) return end(key, transfer);
    socket.send(transfer.sent, transfer.peer.port, transfer.peer.address);
    transfer.timer = setTimeout(() => send(key, transfer), RESEND_MS);
    transfer.timer.unref();
  };
  const sendBlock = async (key: string, transfer: Transfer, block: number): Promise<void> => {
    if (transfer.content === null) return;
    const { blockSize } = transfer.request;
    const found = transfer.content.read((block - 1) * blockSize, blockSize);
    // nearly always at hand: every turn of the event loop counts in a protocol that waits per packet
    const data = Buffer.isBuffer(found) ? found : await found;
    if (transfers.get(key) !== transfer) return;
    transfer.block = block;
    transfer.sent = writeData(block, data);
    transfer.tries = 0;
    send(key, transfer);
  };

  const begin = async (key: string, transfer: Transfer): Promise<void> => {
    const { request, peer } = transfer;
    const content = await openContent(deps, request.path);
    if (transfers.get(key) !== transfer) {
      // it was given up meanwhile; Node ends the process for a file that nobody closes
      await content?.close();
      return;
    }
    if (content === null) {
      transfers.delete(key);
      socket.send(writeError(1, 'not found'), peer.port, peer.address);
      return;
    }
    transfer.content = content;
    if (Object.keys(request.options).length === 0) return sendBlock(key, transfer, 1);
    const { tsize } = request.options;
    transfer.sent = writeOptions({
      ...request.options,
      ...(tsize !== undefined && { tsize: String(content.size) }),
    });
    send(key, transfer);
  };

  const goOn = async (key: string, transfer: Transfer, block: number): Promise<void> => {
    // an acknowledgement that comes twice must not send everything twice from here on
    if (transfer.content === null || transfer.busy || block !== (transfer.block & 0xffff)) return;
    const { blockSize } = transfer.request;
    if (transfer.block > 0 && transfer.block * blockSize > transfer.content.size)
      return end(key, transfer);
    transfer.busy = true;
    await sendBlock(key, transfer, transfer.block + 1).finally(() => {
      transfer.busy = false;
    });
  };

  socket.on('message', (bytes, peer) => {
    const key = `${peer.address}:${peer.port}`;
    const packet = readPacket(bytes);
    const known = transfers.get(key);
    const failed = (transfer: Transfer) => (error: unknown) => {
      // a file that was closed under a transfer that was given up is no failure
      const live = transfers.get(key) === transfer;
      end(key, transfer);
      const path = logPath(`/${transfer.request.path}`);
      if (live) deps.log.warn({ err: error, path }, 'boot request by TFTP failed');
    };
    if (packet.kind === 'read') {
      if (known?.request.path === packet.request.path) {
        if (known.content !== null) send(key, known);
        return;
      }
      if (known !== undefined) end(key);
      if (transfers.size >= MOST_TRANSFERS) return;
      const own = [...transfers.values()].filter((one) => one.peer.address === peer.address);
      if (own.length >= MOST_OF_ONE) return;
      const transfer: Transfer = {
        peer,
        request: packet.request,
        content: null,
        block: 0,
        sent: Buffer.alloc(0),
        tries: 0,
        timer: undefined,
        busy: false,
      };
      transfers.set(key, transfer);
      begin(key, transfer).catch(failed(transfer));
    } else if (known !== undefined && packet.kind === 'ack') {
      goOn(key, known, packet.block).catch(failed(known));
    } else if (packet.kind === 'error') end(key);
  });
  socket.on('error', (error) => deps.log.warn({ err: error }, 'the TFTP socket failed'));
  if (!('socket' in options))
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(options.port, options.host, () => resolve());
    });
  return {
    port: socket.address().port,
    close: async () => {
      for (const key of transfers.keys()) end(key);
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
};
