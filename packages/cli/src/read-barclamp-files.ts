/** A barclamp's folder as text by relative path: the server may be on another machine. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { isUtf8 } from 'node:buffer';
import { Failure } from './failure.ts';

const MOST_BYTES = 12 * 1024 * 1024;

export const readBarclampFiles = (
  folder: string,
): { readonly name: string; readonly files: Record<string, string> } => {
  const files: Record<string, string> = {};
  let total = 0;
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path);
    if (name.split('/').some((part) => part.startsWith('.') || part === 'node_modules')) continue;
    total += statSync(path).size;
    if (total > MOST_BYTES)
      throw new Failure('usage', `${folder} is larger than ${MOST_BYTES / 1024 / 1024} MiB`);
    const body = readFileSync(path);
    if (!isUtf8(body)) throw new Failure('usage', `${path} is not text`);
    files[name] = body.toString('utf8');
  }
  if (files['barclamp.yml'] === undefined)
    throw new Failure('usage', `${folder} is no barclamp`, { advice: 'it needs a barclamp.yml' });
  return { name: basename(folder), files };
};
