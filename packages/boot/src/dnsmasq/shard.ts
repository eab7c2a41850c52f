/**
 * Nodes in some hundred files: what dnsmasq reads as a whole is few enough to be read fast, and what
 * one node changes is small. At 10,000 nodes a reload of one file per node took 1.5 s of CPU, of 256
 * files 0.2 s. Names are in more of them, since for each address of a file that changed dnsmasq goes
 * through all that it knows: 4 ms for 40 of 10,000. And they are in several folders, since for each
 * file dnsmasq goes through the list of its folder.
 */
import { link, open, readFile, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HostwrightError } from '@hostwright/core';

const HOST_SHARDS = 0x100;
const NAME_SHARDS = 0x400;
const NAME_FOLDERS = 0x10;
/** Where the files are: a server that was fed into others holds nothing of what it acknowledged. */
export const LAYOUT = 'names in 16 folders';

/** Which file a node's part is in, below a folder. */
export type ShardOf = (nodeId: number) => string;

const hex = (value: number, below: number): string =>
  (value % below).toString(16).padStart((below - 1).toString(16).length, '0');

export const hostShard: ShardOf = (nodeId) => `nodes-${hex(nodeId, HOST_SHARDS)}`;

export const nameShard: ShardOf = (nodeId) =>
  `${hex(nodeId, NAME_FOLDERS)}/nodes-${hex(Math.floor(nodeId / NAME_FOLDERS), NAME_SHARDS)}`;

/** All folders below that of the names which dnsmasq watches; in `taken` is the version, and nothing else. */
export const nameFolders = (folder: string): readonly string[] => [
  ...Array.from({ length: NAME_FOLDERS }, (_, at) => join(folder, hex(at, NAME_FOLDERS))),
  join(folder, 'taken'),
];

const HEAD = /^# node (\d+)$/;

export const parseShard = (text: string): Map<number, string> => {
  const parts = new Map<number, string>();
  let nodeId = 0;
  for (const line of text.split('\n')) {
    const head = HEAD.exec(line);
    if (head !== null) nodeId = Number(head[1]);
    else if (line !== '') parts.set(nodeId, `${parts.get(nodeId) ?? ''}${line}\n`);
  }
  return parts;
};

export const writeShard = (parts: ReadonlyMap<number, string>): string =>
  [...parts]
    .sort(([one], [other]) => one - other)
    .map(([nodeId, text]) => `# node ${nodeId}\n${text}`)
    .join('');

/** Which node a line of the file is about, counted from 1. */
export const nodeAtLine = (text: string, line: number): number | null => {
  const head = text
    .split('\n')
    .slice(0, line)
    .findLast((one) => HEAD.test(one));
  return head === undefined ? null : Number(HEAD.exec(head)?.[1]);
};

/** Written beside and renamed: dnsmasq never reads half a file. Names with a dot in front are not read. */
export const replaceFile = async (path: string, text: string): Promise<void> => {
  const draft = join(dirname(path), `.${basename(path)}`);
  await writeFile(draft, text);
  await rename(draft, path);
};

/** Blank lines at the end: on a full disk the file must fail before a line of it is touched. */
const makeRoom = async (file: FileHandle, from: number, to: number): Promise<void> => {
  if (to <= from) return;
  try {
    const { bytesWritten } = await file.write('\n'.repeat(to - from), from);
    if (bytesWritten < to - from)
      throw new HostwrightError('no_space', { message: 'the disk of what dnsmasq is fed is full' });
  } catch (error) {
    await file.truncate(from);
    throw error;
  }
};

/**
 * For many files at once, which dnsmasq shall read at its next reload and not one by one: it is told
 * of files that are closed, renamed or removed in a folder it watches, not of what is done to them by
 * another name elsewhere, nor of a new link. In one write, since the file is not replaced: who is
 * killed leaves the old text or the new one, and blank lines are no lines.
 */
const writeUnseen = async (path: string, text: string, aside: string): Promise<void> => {
  const other = join(aside, 'other-name');
  await rm(other, { force: true });
  const there = await link(path, other).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
  if (there) {
    await using file = await open(other, 'r+');
    const { size } = await file.stat();
    await makeRoom(file, size, text.length);
    await file.write(text.padEnd(size, '\n'), 0);
    await file.truncate(text.length);
  } else {
    await writeFile(other, text);
    await link(other, path);
  }
  await rm(other);
};

/** Only a file that is not there is empty: one that cannot be read now holds other nodes' lines. */
export const readIfThere = async (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

/** Those of the parts that are not in the shards as they are given. */
export const changedParts = async (
  folder: string,
  parts: ReadonlyMap<number, string>,
  shardOf: ShardOf,
): Promise<ReadonlyMap<number, string>> => {
  const changed = new Map<number, string>();
  const byShard = Map.groupBy(parts, ([nodeId]) => join(folder, shardOf(nodeId)));
  for (const [path, nodes] of byShard) {
    const held = parseShard(await readIfThere(path));
    for (const [nodeId, text] of nodes)
      if ((held.get(nodeId) ?? '') !== text) changed.set(nodeId, text);
  }
  return changed;
};

/**
 * Puts nodes' parts into the shards of a folder; an empty part takes the node out. With a folder
 * `aside`, on the same disk, nobody who watches is told.
 */
export const updateShards = async (
  folder: string,
  changes: ReadonlyMap<number, string>,
  shardOf: ShardOf,
  aside?: string,
): Promise<void> => {
  const byShard = Map.groupBy(changes, ([nodeId]) => join(folder, shardOf(nodeId)));
  for (const [path, nodes] of byShard) {
    const old = await readIfThere(path);
    const parts = parseShard(old);
    for (const [nodeId, text] of nodes) {
      if (text === '') parts.delete(nodeId);
      else parts.set(nodeId, text);
    }
    const text = writeShard(parts);
    if (text === old) continue;
    if (aside !== undefined) await writeUnseen(path, text, aside);
    else if (text === '') await rm(path, { force: true });
    else await replaceFile(path, text);
  }
};
