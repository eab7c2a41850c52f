/**
 * Nodes whose lines were written while what dnsmasq said of them stands nowhere yet, in a file: a
 * worker that dies leaves them there, since a line that was refused looks like any other. Never a
 * node less than that; one too many costs one reload.
 */
import { rm } from 'node:fs/promises';
import { readIfThere, replaceFile } from './shard.ts';

export interface Unrecorded {
  read(): Promise<ReadonlySet<number>>;
  add(nodeIds: Iterable<number>): Promise<void>;
  remove(nodeIds: Iterable<number>): Promise<void>;
}

export const openUnrecorded = (path: string): Unrecorded => {
  const read = async (): Promise<Set<number>> => {
    const lines = (await readIfThere(path)).split('\n');
    return new Set(lines.filter((line) => line !== '').map(Number));
  };
  return {
    read,
    add: async (nodeIds) => {
      const all = (await read()).union(new Set(nodeIds));
      if (all.size > 0) await replaceFile(path, [...all].join('\n'));
    },
    remove: async (nodeIds) => {
      const left = (await read()).difference(new Set(nodeIds));
      if (left.size > 0) await replaceFile(path, [...left].join('\n'));
      else await rm(path, { force: true });
    },
  };
};
