import type { boot } from '@hostwright/api/nouns/boot';
import type { z } from 'zod';
import { ago, seconds } from './ago.ts';
import type { Output } from './output.ts';
import { harmless } from './show-fields.ts';

type Boot = z.output<typeof boot>;

const endOf = (one: Boot): string => {
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
      { title: 'BOOTED', cell: (one) => one.bootenv ?? '-' },
      { title: 'END', cell: endOf },
      { title: 'LAST', cell: (one) => harmless(one.lastText ?? '') },
    ],
    boots,
    'no boots are recorded',
  );
