import { ensureDatabase, startPostgres, type Postgres } from '@hostwright/postgres';
import { Failure } from '../failure.ts';
import { DATABASE, givenDatabaseUrl } from '../process-database.ts';

export interface DatabaseServer {
  readonly url: string;
  /** Absent for a server that was here before us. */
  readonly postgres: Postgres | undefined;
}

export const openDatabaseServer = async (folder: string): Promise<DatabaseServer> => {
  const given = givenDatabaseUrl();
  if (given !== undefined) return { url: given, postgres: undefined };
  try {
    const postgres = await startPostgres({ home: folder });
    return { url: await ensureDatabase(postgres.url, DATABASE), postgres };
  } catch (error) {
    throw new Failure(
      'surroundings',
      `PostgreSQL could not be started in ${folder}: ${error instanceof Error ? error.message : String(error)}`,
      { advice: 'its log is postgres.log there; DATABASE_URL uses another server', cause: error },
    );
  }
};
