/** What a transfer sends, read ahead: the protocol waits for an answer per packet. */
import { open } from 'node:fs/promises';

export interface Content {
  readonly size: number;
  read(start: number, length: number): Buffer | Promise<Buffer>;
  close(): Promise<void>;
}

/** Held by each of many transfers. */
const AHEAD = 1 << 18;

export const fromBytes = (bytes: Buffer): Content => ({
  size: bytes.length,
  read: (start, length) => bytes.subarray(start, start + length),
  close: async () => {},
});

export const fromFile = async (path: string, first = 0, last?: number): Promise<Content> => {
  const handle = await open(path);
  const stat = await handle.stat().catch(async (error: unknown) => {
    await handle.close();
    throw error;
  });
  const size = (last === undefined ? stat.size : last + 1) - first;
  let held = { start: 0, bytes: Buffer.alloc(0) };
  const fill = async (start: number): Promise<void> => {
    const bytes = Buffer.alloc(Math.max(0, Math.min(AHEAD, size - start)));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, first + start);
    held = { start, bytes: bytes.subarray(0, bytesRead) };
  };
  const cut = (start: number, length: number): Buffer =>
    held.bytes.subarray(start - held.start, start - held.start + length);
  return {
    size,
    read: (start, length) => {
      const wanted = Math.max(0, Math.min(length, size - start));
      const there = start >= held.start && start + wanted <= held.start + held.bytes.length;
      return there ? cut(start, wanted) : fill(start).then(() => cut(start, wanted));
    },
    close: () => handle.close(),
  };
};
