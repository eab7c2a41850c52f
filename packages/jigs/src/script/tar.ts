/** A ustar archive of plain files and folders: what every tar, busybox's too, unpacks. */
import { HostwrightError } from '@hostwright/core';

export interface TarFile {
  readonly path: string;
  readonly content: Buffer;
  readonly mode: number;
}

const BLOCK = 512;

const header = (file: TarFile): Buffer => {
  const name = Buffer.from(file.path);
  if (name.length > 99 || /^\/|(^|\/)\.\.(\/|$)/.test(file.path))
    throw new HostwrightError('bad_input', {
      message: `${file.path} cannot be a name in a bundle`,
    });
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number): void => {
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at);
  };
  name.copy(block);
  octal(file.mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(file.content.length, 124, 12);
  octal(0, 136, 12);
  block.write('        ', 148);
  block.write('0', 156);
  block.write('ustar\u000000', 257);
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return block;
};

export const makeTar = (files: readonly TarFile[]): Buffer =>
  Buffer.concat([
    ...files.flatMap((file) => [
      header(file),
      file.content,
      Buffer.alloc((BLOCK - (file.content.length % BLOCK)) % BLOCK),
    ]),
    Buffer.alloc(2 * BLOCK),
  ]);
