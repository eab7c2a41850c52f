export { openDatabase, type Database, type Db, type OpenOptions, type Tx } from './db/open.ts';
export { listMigrations, migrate, type MigrateReport } from './db/migrate.ts';
export { sqlState, transaction } from './db/transaction.ts';
export type { Evidence, Jig, Outcome, RunHandle, RunNode } from './jig.ts';
export { describeSchema } from './db/describe-schema.ts';
