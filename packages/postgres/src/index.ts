export { startPostgres, type Postgres, type PostgresOptions } from './start.ts';
export { databaseUrl, ensureDatabase } from './ensure-database.ts';
export { findRunningPostgres, type RunningPostgres } from './find-running.ts';
export { freePort } from './free-port.ts';
export { processIsAlive } from './process-alive.ts';
