/** The database of a process that runs alone: named by DATABASE_URL, or found in the data folder of `up`. */
import { migrate, openDatabase, type Database } from '@hostwright/engine';
import { databaseUrl, findRunningPostgres } from '@hostwright/postgres';
import { Failure } from './failure.ts';

export const DATABASE = 'hostwright';

export const givenDatabaseUrl = (): string | undefined => {
  const url = process.env['DATABASE_URL'];
  return url === undefined || url === '' ? undefined : url;
};

export const findDatabaseUrl = (folder: string): string => {
  const given = givenDatabaseUrl();
  if (given !== undefined) return given;
  const running = findRunningPostgres(folder);
  if (running === undefined)
    throw new Failure('surroundings', 'no database is named, and none runs here', {
      advice: 'set DATABASE_URL, or start `hostwright up` first',
    });
  return databaseUrl(running.url, DATABASE);
};

/** A sentence instead of a stack for what an operator can mend. */
const asDatabaseFailure = (error: unknown): unknown => {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'schema_newer')
    return new Failure(
      'surroundings',
      'the database was made by a newer Hostwright than this one',
      {
        advice: 'install that version or a later one; nothing was changed',
        cause: error,
      },
    );
  const lost = ['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'ECONNRESET', '28P01', '28000', '3D000'];
  if (lost.includes(String(error.code)))
    return new Failure('surroundings', `the database does not let us in: ${error.message}`, {
      advice: 'check DATABASE_URL',
      cause: error,
    });
  return error;
};

export const openMigrated = async (options: {
  readonly url: string;
  readonly name: string;
  readonly maxConnections: number;
  readonly onIdleError?: (error: Error) => void;
}): Promise<Database> => {
  const database = openDatabase({
    url: options.url,
    maxConnections: options.maxConnections,
    applicationName: options.name,
    ...(options.onIdleError !== undefined && { onIdleError: options.onIdleError }),
  });
  try {
    await migrate(database.pool);
    return database;
  } catch (error) {
    await database.close();
    throw asDatabaseFailure(error);
  }
};
