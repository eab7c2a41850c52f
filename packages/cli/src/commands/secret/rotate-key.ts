/**
 * A new master key, while Hostwright stands still. Safe against being killed at any moment: the new
 * key is on disk before anything is sealed with it, sealing is one transaction, and the file takes
 * the old one's place by a rename. Until then no process starts with the old key, and the same
 * command again finishes what was begun.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import { openDatabase, readKeyFile, rotateMasterKey, type MasterKey } from '@hostwright/engine';
import { openMasterKey, writePrivate } from '@hostwright/server';
import { dataDir } from '../../data-dir.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';
import { nextKeyFile, readGivenKey } from '../../master-key.ts';
import { takeLock } from '../../up/lock.ts';
import { withDatabase } from '../../with-database.ts';

const rotate = (folder: string, keys: { readonly from: MasterKey; readonly to: MasterKey }) =>
  withDatabase(folder, async (url) => {
    const database = openDatabase({ url, maxConnections: 2, applicationName: 'hostwright-rotate' });
    try {
      return await rotateMasterKey(database.db, { ...keys, actor: 'hostwright secret rotate-key' });
    } finally {
      await database.close();
    }
  });

/** A rename is there after a power cut only if the folder itself was written. */
const replaceFile = (from: string, to: string, folder: string): void => {
  renameSync(from, to);
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

const rotateFile = async (folder: string): Promise<number> => {
  const next = nextKeyFile(folder);
  const resumed = existsSync(next);
  if (!resumed) writePrivate(next, `${randomBytes(32).toString('base64')}\n`, { replace: false });
  const keys = { from: await openMasterKey(folder), to: await readKeyFile(next) };
  try {
    const { rotated } = await rotate(folder, keys);
    replaceFile(next, join(folder, 'master.key'), folder);
    return rotated;
  } catch (error) {
    // refused before anything was sealed; after any other failure nobody knows
    const refused = error instanceof HostwrightError && error.code === 'conflict';
    if (refused && !resumed) rmSync(next);
    throw error;
  }
};

export const run = async (call: Invocation): Promise<void> => {
  const folder = dataDir(call.text('data-dir'));
  const given = process.env['HOSTWRIGHT_MASTER_KEY'] ?? '';
  if (!existsSync(folder))
    throw new Failure('surroundings', `there is no Hostwright in ${folder}`, {
      advice: 'name its folder with --data-dir',
    });
  const unlock = takeLock(folder);
  try {
    if (given === '') {
      const rotated = await rotateFile(folder);
      call.out.answer({ rotated }, () => {
        call.out.line(`${rotated} secrets are sealed with a new master key`);
        call.out.line('backups made before hold the old key and open with it');
      });
      return;
    }
    const to = process.env['HOSTWRIGHT_NEW_MASTER_KEY'] ?? '';
    if (to === '')
      throw new Failure('usage', 'HOSTWRIGHT_NEW_MASTER_KEY does not say what the new key is', {
        advice: 'make one with `head -c 32 /dev/urandom | base64`',
      });
    const { rotated } = await rotate(folder, {
      from: readGivenKey('HOSTWRIGHT_MASTER_KEY', given),
      to: readGivenKey('HOSTWRIGHT_NEW_MASTER_KEY', to),
    });
    call.out.answer({ rotated }, () => {
      call.out.line(`${rotated} secrets are sealed with the new master key`);
      call.out.line(
        'give every server and worker the new HOSTWRIGHT_MASTER_KEY before you start it',
      );
    });
  } finally {
    unlock();
  }
};
