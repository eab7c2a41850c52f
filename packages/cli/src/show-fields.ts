import type { Output } from './output.ts';
import { stripVTControlCharacters } from 'node:util';

/** One object as `name  value` lines; empty values are left out. */
export const showFields = (
  out: Output,
  fields: readonly (readonly [string, string | number | null | undefined])[],
): void => {
  const shown = fields.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  for (const [name, value] of shown)
    out.line(`${out.paint('bold', name.padEnd(width))}  ${String(value)}`);
};

/** What a machine said of itself, made harmless for a terminal. */
export const harmless = (value: unknown): string =>
  stripVTControlCharacters(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, 500);
