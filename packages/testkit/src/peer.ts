/**
 * Is a real peer here? For describe.skipIf: tests that need one which is not there are skipped by
 * name; where CI is set, they run and fail, because nobody would read that they were skipped.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const MORE_FOLDERS = ['/usr/sbin', '/sbin', '/usr/local/sbin'];

export const peer = (program: string): boolean => {
  if ((process.env['CI'] ?? '') !== '') return true;
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...MORE_FOLDERS];
  return folders.some((folder) => existsSync(join(folder, program)));
};
