/** Signs the checksums of a folder that was built here, and lays the public key beside them. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signText, type SigningKey } from './sign.ts';

export const SUMS = 'SHA256SUMS';
export const SIGNATURE = 'SHA256SUMS.minisig';
export const PUBLIC_KEY = 'hostwright.pub';

export const signFolder = async (
  key: SigningKey,
  options: { readonly folder: string; readonly name: string },
): Promise<void> => {
  const place = join(options.folder, options.name);
  const sums = await readFile(join(place, SUMS), 'utf8');
  const write = async (file: string, text: string) => {
    await writeFile(join(place, `${file}.new`), text);
    await rename(join(place, `${file}.new`), join(place, file));
  };
  await write(PUBLIC_KEY, key.publicText);
  await write(SIGNATURE, signText(key, sums, `${options.name} ${SUMS}`));
};
