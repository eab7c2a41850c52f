/** TFTP packets (RFC 1350, options of RFC 2347-2349): what is read, what is written. Pure. */
export interface ReadRequest {
  readonly path: string;
  readonly blockSize: number;
  /** Options to confirm, in the order asked for; empty = begin with the data. */
  readonly options: Readonly<Record<string, string>>;
}

export type Packet =
  | { readonly kind: 'read'; readonly request: ReadRequest }
  | { readonly kind: 'ack'; readonly block: number }
  | { readonly kind: 'error' }
  | { readonly kind: 'other' };

const DEFAULT_BLOCK = 512;
/** With its headers a packet still fits an Ethernet frame: fragments are what firmware loses first. */
const MOST_BLOCK = 1468;
const LONGEST_REQUEST = 1024;

const readWords = (bytes: Buffer): string[] => bytes.toString('latin1').split('\0').slice(0, -1);

const readRequest = (bytes: Buffer): Packet => {
  if (bytes.length > LONGEST_REQUEST) return { kind: 'other' };
  const [path = '', mode = '', ...rest] = readWords(bytes);
  if (path === '' || mode.toLowerCase() !== 'octet') return { kind: 'other' };
  const options: Record<string, string> = {};
  let blockSize = DEFAULT_BLOCK;
  for (let index = 0; index + 1 < rest.length; index += 2) {
    const name = (rest[index] ?? '').toLowerCase();
    const value = rest[index + 1] ?? '';
    if (name === 'blksize' && /^\d{1,5}$/.test(value) && Number(value) >= 8) {
      blockSize = Math.min(Number(value), MOST_BLOCK);
      options[name] = String(blockSize);
    }
    // its value is the size, known only when the file is
    if (name === 'tsize') options[name] = '';
  }
  return { kind: 'read', request: { path: path.replace(/^\/+/, ''), blockSize, options } };
};

export const readPacket = (bytes: Buffer): Packet => {
  if (bytes.length < 4) return { kind: 'other' };
  switch (bytes.readUInt16BE(0)) {
    case 1:
      return readRequest(bytes.subarray(2));
    case 4:
      return { kind: 'ack', block: bytes.readUInt16BE(2) };
    case 5:
      return { kind: 'error' };
    default:
      return { kind: 'other' };
  }
};

const opcode = (code: number, number: number): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(code, 0);
  head.writeUInt16BE(number, 2);
  return head;
};

export const writeData = (block: number, data: Buffer): Buffer =>
  Buffer.concat([opcode(3, block & 0xffff), data]);

export const writeError = (code: number, text: string): Buffer =>
  Buffer.concat([opcode(5, code), Buffer.from(`${text}\0`)]);

export const writeOptions = (options: Readonly<Record<string, string>>): Buffer => {
  const words = Object.entries(options).flat();
  return Buffer.concat([
    opcode(6, 0).subarray(0, 2),
    Buffer.from(words.map((word) => `${word}\0`).join('')),
  ]);
};
