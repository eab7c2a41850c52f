import {
  name_filter_delete,
  name_filter_list,
  name_filter_put,
} from '@hostwright/api/nouns/name-filter';
import { deleteNameFilter, putNameFilter, readNameFilters } from '@hostwright/boot';
import { transaction } from '@hostwright/engine';
import { refuse } from '../http/refuse.ts';
import { route } from '../http/route.ts';

export const nameFilterRoutes = () => [
  route(name_filter_list, async ({ context }) => ({ items: await readNameFilters(context.db) })),
  route(name_filter_put, async ({ params, body, context }) => {
    const done = await transaction(context.db, (tx) =>
      putNameFilter(tx, { name: params.filter, ...body, matcher: body.matcher ?? {} }),
    );
    if (!done.ok) throw refuse(done.refusals);
    return done.filter;
  }),
  route(name_filter_delete, async ({ params, context }) => {
    await transaction(context.db, (tx) => deleteNameFilter(tx, params.filter));
    return undefined;
  }),
];
