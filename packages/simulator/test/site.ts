/** A whole small system in one process: server over HTTPS, worker with the script jig, demo barclamp. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createToken,
  ensureFirstUser,
  importBarclamp,
  masterKey,
  registerJigs,
  SILENT,
  startWorker,
} from '@hostwright/engine';
import { createScriptJig, noopJig } from '@hostwright/jigs';
import { startServer } from '@hostwright/server';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';

export interface Site {
  readonly database: TestDatabase;
  readonly url: string;
  readonly ca: string;
  readonly apiToken: string;
  readonly joinToken: string;
  close(): Promise<void>;
}

const BARCLAMPS = fileURLToPath(new URL('../../../barclamps', import.meta.url));

export const createSite = async (): Promise<Site> => {
  const database = await createTestDatabase();
  const { db } = database;
  const dataDir = mkdtempSync(join(tmpdir(), 'hostwright-simulated-'));
  const master = masterKey(randomBytes(32));
  const script = createScriptJig({ database, master, log: SILENT });
  const jigs = [noopJig, script];
  await registerJigs(db, jigs);
  for (const name of ['core', 'demo'])
    await importBarclamp(db, { folder: join(BARCLAMPS, name), actor: 'test' });
  const { userId } = await ensureFirstUser(db);
  const api = await createToken(db, { kind: 'api', name: 'test', userId });
  const joining = await createToken(db, { kind: 'join', name: 'test', userId, uses: 100_000 });
  const server = await startServer({
    database,
    config: { dataDir, host: '127.0.0.1', port: 0, master },
  });
  const worker = await startWorker({ database, jigs, log: SILENT, name: 'test' });
  return {
    database,
    url: `https://127.0.0.1:${server.port}`,
    ca: server.context.tls?.caPem ?? '',
    apiToken: api.secret,
    joinToken: joining.secret,
    close: async () => {
      await worker.stop();
      script.close();
      await server.close();
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
