/** Everything into one file: the database as of one instant, and the keys without which it is worth little. */
import { createWriteStream, existsSync, linkSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { openDatabase, writeBackup, type BackupFile } from '@hostwright/engine';
import { dataDir } from '../data-dir.ts';
import { Failure } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { withDatabase } from '../with-database.ts';

export const KEY_FILES = ['master.key', 'tls/ca.pem'] as const;

const readKeys = (folder: string): BackupFile[] =>
  KEY_FILES.filter((name) => existsSync(join(folder, name))).map((name) => ({
    name,
    body: readFileSync(join(folder, name)),
  }));

export const run = async (call: Invocation): Promise<void> => {
  const folder = dataDir(call.text('data-dir'));
  const target = resolve(call.arg('file'));
  if (existsSync(target))
    throw new Failure('surroundings', `${target} is there already`, {
      advice: 'give another name; a backup never overwrites',
    });
  if (!existsSync(dirname(target)))
    throw new Failure('surroundings', `there is no folder ${dirname(target)}`);
  const files = call.flag('without-keys') ? [] : readKeys(folder);
  // written beside its place and linked: a backup that was cut off never has a backup's name
  const half = `${target}.${process.pid}.half`;
  try {
    await withDatabase(folder, async (url) => {
      const database = openDatabase({
        url,
        maxConnections: 1,
        applicationName: 'hostwright-backup',
      });
      try {
        await pipeline(
          writeBackup(database.pool, { files }),
          createZstdCompress(),
          createWriteStream(half, { flags: 'wx', mode: 0o600 }),
        );
      } finally {
        await database.close();
      }
    });
    linkSync(half, target);
  } finally {
    rmSync(half, { force: true });
  }
  const bytes = statSync(target).size;
  call.out.answer({ file: target, bytes, keys: files.map((file) => file.name) }, () => {
    call.out.line(`${target}: ${Math.ceil(bytes / 1024)} KiB`);
    if (files.length > 0) call.out.line('it holds the master key: keep it as safe as the machines');
  });
};
