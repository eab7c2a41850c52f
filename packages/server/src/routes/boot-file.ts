import { boot_file_delete, boot_file_list, boot_file_put } from '@hostwright/api/nouns/boot-file';
import { importFile, listBootFiles, readBootFiles, removeFile } from '@hostwright/boot';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { bytesOf } from '../http/byte-route.ts';
import { chooseFields } from '../http/fields.ts';
import { route } from '../http/route.ts';

const folderOf = ({ config }: Context): string => config.bootFolder ?? join(config.dataDir, 'boot');

export const bootFileRoutes = () => [
  route(boot_file_list, async ({ query, context }) => {
    const { fields, ...wish } = query;
    const page = await listBootFiles(context.db, wish);
    return { items: chooseFields(page.items, fields), next: page.next };
  }),
  route(boot_file_put, async ({ query, context, request }) => {
    const { path, sha256, size } = query;
    await importFile(context.db, {
      folder: folderOf(context),
      path,
      source: bytesOf(request),
      ...(sha256 !== undefined && { sha256 }),
      ...(size !== undefined && { size }),
    });
    const [file] = await readBootFiles(context.db, [path]);
    if (file === undefined) throw new Error(`${path} was taken in and is not there`);
    return file;
  }),
  route(boot_file_delete, async ({ query, context }) => {
    await removeFile(context.db, { folder: folderOf(context), path: query.path });
    return undefined;
  }),
];
