export { startPostgres, type Postgres, type PostgresOptions } from './start.ts';
export { freePort } from './free-port.ts';
