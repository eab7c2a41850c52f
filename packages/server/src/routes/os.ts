import { os_get, os_list, os_preview } from '@hostwright/api/nouns/os';
import { listOsTemplates, needOsTemplate, previewInstall } from '@hostwright/boot';
import { route } from '../http/route.ts';

export const osRoutes = () => [
  route(os_list, async ({ context }) => ({ items: await listOsTemplates(context.db) })),
  route(os_get, async ({ params, context }) => needOsTemplate(context.db, params.os)),
  route(os_preview, async ({ params, query, context }) =>
    previewInstall(context.db, {
      os: params.os,
      node: query.node,
      noderole: query.noderole,
      bootUrl: context.config.bootUrl ?? context.url(),
    }),
  ),
];
