/** The API client of a command. The only way in which commands reach the system. */
import { createClient, type Client } from '@hostwright/api';
import { createNodeFetch } from '@hostwright/api/node-fetch';
import { findContext, type Context } from './context.ts';
import type { Invocation } from './invocation.ts';

export const clientOf = (context: Context): Client =>
  createClient({
    url: context.url,
    ...(context.token !== '' && { token: context.token }),
    fetch: createNodeFetch(context.ca === undefined ? {} : { ca: context.ca }),
  });

export const connect = (call: Invocation): Client => clientOf(findContext(call));

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** Page after page until `limit` items are there. */
export const readPages = async <Item>(
  limit: number,
  read: (page: { cursor?: string; limit: number }) => Promise<Page<Item>>,
): Promise<{ readonly items: readonly Item[]; readonly more: boolean }> => {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({
      limit: Math.min(1000, limit - items.length),
      ...(cursor !== undefined && { cursor }),
    });
    items.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && items.length < limit);
  return { items, more: cursor !== undefined };
};
