/** Lends a body the database of a data folder: the one that runs there, or one started just for this. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  databaseUrl,
  ensureDatabase,
  findRunningPostgres,
  startPostgres,
} from '@hostwright/postgres';
import { Failure } from './failure.ts';
import { DATABASE, givenDatabaseUrl } from './process-database.ts';

export const withDatabase = async <Result>(
  folder: string,
  body: (url: string) => Promise<Result>,
  options: { readonly make?: boolean } = {},
): Promise<Result> => {
  const given = givenDatabaseUrl();
  if (given !== undefined) return body(given);
  const running = findRunningPostgres(folder);
  if (running !== undefined) return body(databaseUrl(running.url, DATABASE));
  if (!options.make && !existsSync(join(folder, 'postgres')))
    throw new Failure('surroundings', `there is no Hostwright in ${folder}`, {
      advice: 'name its folder with --data-dir, or its database with DATABASE_URL',
    });
  const postgres = await startPostgres({ home: folder });
  try {
    return await body(await ensureDatabase(postgres.url, DATABASE));
  } finally {
    await postgres.stop();
  }
};
