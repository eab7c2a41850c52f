/** What must be in the database before anything else starts. Safe to repeat: a second start finds it all. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createSigninLink,
  createToken,
  ensureAdminNode,
  ensureFirstUser,
  findApiToken,
  hashToken,
  importBarclamp,
  issueNodeToken,
  registerJigs,
  SILENT,
  transaction,
  type Database,
  type MasterKey,
} from '@hostwright/engine';
import { readLocalContext } from '../context.ts';
import { openJigs } from '../worker-jigs.ts';

const BARCLAMPS = fileURLToPath(new URL('../../../../barclamps', import.meta.url));
const ACTOR = 'hostwright up';
const LINK_MINUTES = 12 * 60;

export interface Prepared {
  /** For the command line on this machine. */
  readonly apiToken: string;
  readonly signinToken: string;
  readonly adminNode: { readonly id: number; readonly name: string };
}

export const importBarclamps = async (
  database: Database,
  names: readonly string[],
): Promise<void> => {
  for (const name of names) {
    const folder = join(BARCLAMPS, name);
    if (existsSync(join(folder, 'barclamp.yml')))
      await importBarclamp(database.db, { folder, actor: ACTOR });
  }
};

export const prepare = async (options: {
  readonly database: Database;
  readonly folder: string;
  readonly master: MasterKey;
  readonly barclamps: readonly string[];
}): Promise<Prepared> => {
  const { database, folder } = options;
  const { db } = database;
  // a barclamp that names a jig nobody has is refused
  const carried = openJigs({ database, master: options.master, log: SILENT });
  await registerJigs(db, carried.jigs).finally(() => carried.close());
  await importBarclamps(database, options.barclamps);
  const { userId } = await ensureFirstUser(db);
  const node = await ensureAdminNode(db, { hostname: hostname(), actor: ACTOR });
  // the token of an earlier start is kept, if it still counts: programs may have been given it
  const earlier = readLocalContext(folder)?.token;
  const known = earlier === undefined ? undefined : await findApiToken(db, hashToken(earlier));
  const kept = known?.role === 'admin' ? earlier : undefined;
  const apiToken =
    kept ??
    (await createToken(db, { kind: 'api', name: 'command line of this machine', userId })).secret;
  const link = await createSigninLink(db, { userId, minutes: LINK_MINUTES });
  return {
    apiToken,
    signinToken: link.token,
    adminNode: { id: node.id, name: node.name },
  };
};

/** The admin node proves itself as every machine does; this is how its agent gets its token. */
export const issueAdminToken = (database: Database, nodeId: number): Promise<string> =>
  transaction(database.db, (tx) => issueNodeToken(tx, nodeId));
