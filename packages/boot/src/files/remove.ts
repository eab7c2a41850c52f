/** Takes a file out of what is served. An installation that was planned with it would end half way. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import { transaction, type Db } from '@hostwright/engine';
import { sql } from 'kysely';
import { envFiles } from '../boot/env-files.ts';
import { isFilePath } from '../valid.ts';

export const removeFile = async (
  db: Db,
  options: { readonly folder: string; readonly path: string },
): Promise<void> => {
  const { path } = options;
  await transaction(db, async (tx) => {
    const gone = await tx
      .deleteFrom('boot_file')
      .where('path', '=', path)
      .returning('path')
      .executeTakeFirst();
    if (gone === undefined || !isFilePath(path))
      throw new HostwrightError('not_found', { message: `there is no boot file ${path}` });
    const discovery = await sql`
      select from boot_env e where e.kind = 'discovery' and ${path} = any${envFiles} limit 1`.execute(
      tx,
    );
    if (discovery.rows.length > 0)
      throw new HostwrightError('conflict', {
        message: `${path} is part of the discovery image: without it no machine is discovered, rescued or given an image`,
      });
    const { rows } = await sql<{ node: string }>`
      select n.name as node from os_install i join node n on n.id = i.node_id
      left join boot_env e on e.name = i.plan ->> 'bootenv'
      where i.phase not in ('done', 'failed')
        and (i.plan #>> '{image,path}' = ${path} or ${path} = any${envFiles}) order by 1 limit 3`.execute(
      tx,
    );
    if (rows.length > 0)
      throw new HostwrightError('conflict', {
        message: `${path} is being installed on ${rows.map((row) => row.node).join(', ')}`,
      });
    // last: if this fails the row stays, and the file with it
    await rm(join(options.folder, path), { force: true });
  });
};
