import type { boot } from '@hostwright/api/nouns/boot';
import type { z } from 'zod';
import { ago, seconds } from './ago.ts';
import type { Output } from './output.ts';
import { harmless } from './show-fields.ts';

type Boot = z.output<typeof boot>;

const ENDS = {
  installed: 'installed',
  erased: 'disks erased',
  failed: 'failed',
  rescue: 'rescue is up',
} as const;

const endOf = (one: Boot): string => {
  if (one.helloAt === null && one.outcome !== null) return ENDS[one.outcome];
  if (one.helloAt === null) return one.scriptAt === null ? 'begun' : 'told what to boot';
  return `up after ${seconds((Date.parse(one.helloAt) - Date.parse(one.startedAt)) / 1000)}`;
};

export const showBoots = (out: Output, boots: readonly Boot[]): void =>
  out.table(
    [
      { title: 'BOOT', cell: (one) => one.id, right: true },
      { title: 'NODE', cell: (one) => one.node ?? `stranger ${one.mac ?? ''}` },
      { title: 'AGO', cell: (one) => ago(one.startedAt) },
      { title: 'FIRMWARE', cell: (one) => one.firmware },
      { title: 'BOOTED', cell: (one) => one.bootenv ?? (one.scriptAt === null ? '-' : 'local') },
      { title: 'END', cell: endOf },
      { title: 'LAST', cell: (one) => harmless(one.lastText ?? '') },
    ],
    boots,
    'no boots are recorded',
  );
