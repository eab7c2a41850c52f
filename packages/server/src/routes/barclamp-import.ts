/**
 * Barclamps come from a folder the server can read, or over the wire as files. Those are stored in
 * the data folder, one folder per content, because runs under way still read the older one.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { barclamp_import } from '@hostwright/api/nouns/barclamp';
import { HostwrightError } from '@hostwright/core';
import { importBarclamp } from '@hostwright/engine';
import type { Context } from '../context.ts';
import type { Call } from '../http/route.ts';

type Body = Call<typeof barclamp_import>['body'];

const PLAIN_PATH = /^[\w][\w.+-]*(\/[\w][\w.+-]*){0,8}$/;
const MOST_FILES = 2000;

const checkPaths = (files: Readonly<Record<string, string>>): void => {
  const paths = Object.keys(files);
  const refusals = paths
    .filter((path) => !PLAIN_PATH.test(path))
    .map((path) => ({
      code: 'bad_input',
      path: `body/files/${path.slice(0, 64)}`,
      message: 'a relative path of plain names, without . or .. parts',
    }));
  if (paths.length > MOST_FILES)
    refusals.push({
      code: 'too_large',
      path: 'body/files',
      message: `more than ${MOST_FILES} files`,
    });
  if (refusals.length > 0) throw new HostwrightError('bad_input', { refusals });
};

const store = async (dataDir: string, body: Extract<Body, { files: unknown }>): Promise<string> => {
  checkPaths(body.files);
  const entries = Object.entries(body.files).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const hash = createHash('sha256').update(JSON.stringify(entries)).digest('hex').slice(0, 16);
  const home = join(dataDir, 'barclamps', body.name, hash);
  if (await stat(home).catch(() => undefined)) return home;
  // of this request alone: the same files may be sent twice at once
  const draft = `${home}.${randomUUID()}.draft`;
  await mkdir(draft, { recursive: true });
  for (const [path, text] of entries) {
    const file = join(draft, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  }
  await rename(draft, home).catch(async (error: unknown) => {
    // another request stored the same content first
    await rm(draft, { recursive: true, force: true });
    if ((await stat(home).catch(() => undefined)) === undefined) throw error;
  });
  return home;
};

export const importFrom = async (context: Context, body: Body, actor: string) => {
  const folder = 'folder' in body ? body.folder : await store(context.config.dataDir, body);
  const report = await importBarclamp(context.db, { folder, actor });
  return {
    ...report,
    kept: report.kept.map(({ role, kept }) => ({ role, reason: kept ?? '' })),
  };
};
