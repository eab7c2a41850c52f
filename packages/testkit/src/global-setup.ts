/**
 * One PostgreSQL for the whole test run, with a migrated template that each test file clones.
 * fsync is off: these tests kill processes, never the machine.
 */
import { mkdtempSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openDatabase } from '@hostwright/engine';
import { startPostgres } from '@hostwright/postgres';
import pg from 'pg';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
  }
}

const TEMPLATE = 'hostwright_template';

const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const home = mkdtempSync(join(tmpdir(), 'hostwright-test-'));
  chmodSync(home, 0o755);
  const server = await startPostgres({
    home,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '400',
    },
  });
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`create database ${TEMPLATE}`);
  const template = openDatabase({
    url: server.url.replace(/\/postgres$/, `/${TEMPLATE}`),
    maxConnections: 1,
  });
  await migrate(template.pool);
  await template.close();
  await admin.end();
  project.provide('postgresUrl', server.url);
  return async () => {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  };
};

// vitest wants a default export here
export default setup;
