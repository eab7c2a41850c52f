/**
 * Removes the folder of a daemon that was stopped. Whoever reads its log writes down beside it how far
 * it has come, and may be in the midst of that: a folder that is filled while it is emptied cannot be
 * removed, and its teardown would fail. So it is moved out of everybody's way first.
 */
import { rename, rm } from 'node:fs/promises';

export const removeFolder = async (folder: string): Promise<void> => {
  const aside = `${folder}.removed`;
  // of a teardown that was killed
  await rm(aside, { recursive: true, force: true });
  await rename(folder, aside).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rm(aside, { recursive: true, force: true });
};
