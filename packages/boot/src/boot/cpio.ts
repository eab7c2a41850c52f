/** A cpio archive (newc) in memory: the seed, a small initrd made for one boot. */
export interface SeedFile {
  readonly path: string;
  readonly mode: number;
  readonly content: string;
}

const hex = (value: number): string => value.toString(16).padStart(8, '0');
const pad = (length: number, to: number): Buffer => Buffer.alloc((to - (length % to)) % to);

const entry = (path: string, mode: number, content: Buffer, inode: number): Buffer => {
  const name = Buffer.from(`${path}\0`);
  const fields = [inode, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length, 0];
  const head = Buffer.concat([Buffer.from(`070701${fields.map(hex).join('')}`), name]);
  return Buffer.concat([head, pad(head.length, 4), content, pad(content.length, 4)]);
};

export const writeCpio = (files: readonly SeedFile[]): Buffer => {
  const folders = new Set(
    files.flatMap(({ path }) =>
      path
        .split('/')
        .slice(0, -1)
        .map((_, depth, parts) => parts.slice(0, depth + 1).join('/')),
    ),
  );
  const parts = [
    ...[...folders].map((folder, index) => entry(folder, 0o040755, Buffer.alloc(0), index + 1)),
    ...files.map((file, index) =>
      entry(file.path, 0o100000 + file.mode, Buffer.from(file.content), folders.size + index + 1),
    ),
    entry('TRAILER!!!', 0, Buffer.alloc(0), 0),
  ];
  const archive = Buffer.concat(parts);
  return Buffer.concat([archive, pad(archive.length, 512)]);
};
