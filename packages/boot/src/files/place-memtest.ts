/** memtest86+ as Debian's package puts it on this machine, for BIOS and for UEFI. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile } from './serve.ts';
import { SUMS } from './sign-folder.ts';

const FILES = [
  ['memtest86+x64.bin', 'memtest.bin'],
  ['memtest86+x64.efi', 'memtest.efi'],
] as const;

/** False: the package memtest86+ is not installed here. */
export const placeMemtest = async (folder: string, source = '/boot'): Promise<boolean> => {
  const place = join(folder, 'memtest');
  await mkdir(place, { recursive: true });
  const lines: string[] = [];
  for (const [from, to] of FILES) {
    const copied = await copyFile(join(source, from), join(place, to)).then(
      () => true,
      () => false,
    );
    if (!copied) return false;
    lines.push(`${await hashFile(join(place, to))}  ${to}\n`);
  }
  await writeFile(join(place, SUMS), lines.join(''));
  return true;
};
