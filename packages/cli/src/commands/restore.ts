/** Brings a backup back into an empty system, then up to this program's schema. */
import { createReadStream, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import {
  migrate,
  openDatabase,
  restoreBackup,
  withdrawConsents,
  type BackupFile,
} from '@hostwright/engine';
import { dataDir } from '../data-dir.ts';
import { Failure } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { takeLock } from '../up/lock.ts';
import { openDataDir } from '../up/open-data-dir.ts';
import { withDatabase } from '../with-database.ts';
import { KEY_FILES } from './backup.ts';

const writeKeys = (folder: string, files: readonly BackupFile[]): void => {
  // only names we know: a backup must not be able to write anywhere else
  for (const { name, body } of files.filter((file) => KEY_FILES.some((key) => key === file.name))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, name), body, { flag: 'wx', mode: 0o600 });
  }
};

export const run = async (call: Invocation): Promise<void> => {
  const folder = dataDir(call.text('data-dir'));
  const source = resolve(call.arg('file'));
  if (!existsSync(source)) throw new Failure('surroundings', `there is no file ${source}`);
  openDataDir(folder);
  const unlock = takeLock(folder);
  try {
    const kept = KEY_FILES.filter((name) => existsSync(join(folder, name)));
    if (kept.length > 0)
      throw new Failure('surroundings', `${folder} is not empty: it has ${kept.join(' and ')}`, {
        advice: 'restore into a new folder with --data-dir',
      });
    const body = async (url: string) => {
      const database = openDatabase({
        url,
        maxConnections: 2,
        applicationName: 'hostwright-restore',
      });
      try {
        const unpacked = createZstdDecompress();
        const reading = pipeline(createReadStream(source), unpacked);
        reading.catch(() => {});
        // typed as any by Node; a decompressor gives buffers
        const report = await restoreBackup(database.pool, unpacked as AsyncIterable<Buffer>);
        await migrate(database.pool);
        return { ...report, withdrawn: await withdrawConsents(database.db) };
      } finally {
        await database.close();
      }
    };
    const report = await withDatabase(folder, body, { make: true });
    writeKeys(folder, report.files);
    const { files, ...told } = report;
    call.out.answer({ ...told, files: files.map((file) => file.name) }, () => {
      call.out.line(
        `${report.rows} rows of ${report.tables} tables are back, as of ${report.createdAt}`,
      );
      const { consents, runs } = report.withdrawn;
      if (consents + runs > 0)
        call.out.line(
          `nothing will be erased on what was allowed then: ${consents} consents are withdrawn, ${runs} destructive runs cancelled`,
        );
      call.out.line(`start it with \`hostwright up --data-dir ${folder}\``);
    });
  } finally {
    unlock();
  }
};
