/**
 * Where a list goes on: the sort value and id of the last item. Stable under inserts and deletes,
 * unlike an offset. Opaque to clients; a cursor of another sort order is refused.
 */
import { HostwrightError } from '@hostwright/core';

export interface PageWish {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

export type CursorValue = string | number;

export const DEFAULT_LIMIT = 100;

export const encodeCursor = (sort: string, value: CursorValue, id: number): string =>
  Buffer.from(JSON.stringify([sort, value, id])).toString('base64url');

const isCursor = (value: unknown): value is [string, CursorValue, number] =>
  Array.isArray(value) &&
  value.length === 3 &&
  typeof value[0] === 'string' &&
  (typeof value[1] === 'string' || (typeof value[1] === 'number' && Number.isFinite(value[1]))) &&
  Number.isSafeInteger(value[2]);

export const decodeCursor = (
  sort: string,
  text: string | undefined,
): { readonly value: CursorValue; readonly id: number } | undefined => {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (isCursor(value) && value[0] === sort) return { value: value[1], id: value[2] };
  } catch {
    // refused below
  }
  throw new HostwrightError('bad_input', {
    refusals: [
      {
        code: 'bad_input',
        path: 'query/cursor',
        message: 'not a cursor of this list in this order',
      },
    ],
  });
};

/** Takes one row more than asked for; that one says whether there is a next page. */
export const pageFrom = <Row extends { readonly id: number }>(
  rows: readonly Row[],
  options: {
    readonly limit: number;
    readonly sort: string;
    readonly valueOf: (row: Row) => CursorValue;
  },
): Page<Row> => {
  const items = rows.slice(0, options.limit);
  const last = items.at(-1);
  return {
    items,
    next:
      rows.length > options.limit && last !== undefined
        ? encodeCursor(options.sort, options.valueOf(last), last.id)
        : null,
  };
};
