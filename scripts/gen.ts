/** `node scripts/gen.ts`: writes what is derived from the migrations - the database types and the golden schema. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, chmodSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeSchema, migrate, openDatabase } from '@hostwright/engine';
import { startPostgres } from '@hostwright/postgres';

const home = mkdtempSync(join(tmpdir(), 'hostwright-gen-'));
chmodSync(home, 0o755);
const server = await startPostgres({ home, settings: { fsync: 'off' } });
try {
  const database = openDatabase({ url: server.url });
  await migrate(database.pool);
  const golden = fileURLToPath(new URL('../packages/engine/schema.sql', import.meta.url));
  writeFileSync(golden, await describeSchema(database.pool));
  await database.close();
  const script = fileURLToPath(new URL('gen-types.ts', import.meta.url));
  const types = spawnSync(process.execPath, [script, server.url], { stdio: 'inherit' });
  if (types.status !== 0) process.exitCode = 1;
} finally {
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}
