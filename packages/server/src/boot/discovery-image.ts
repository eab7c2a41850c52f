/**
 * Builds the discovery image into the folder of boot files, unless it is there already from the same
 * script and agent. Only what was built here is signed: what was found is checked by who registers it.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { agentScript } from '@hostwright/agent';
import { signFolder, type SigningKey } from '@hostwright/boot';

const run = promisify(execFile);
const FOLDER = fileURLToPath(new URL('../../../agent/discovery-image/', import.meta.url));

const sourceHash = async (): Promise<string> => {
  const hash = createHash('sha256').update(agentScript());
  for (const name of (await readdir(FOLDER)).sort())
    hash.update(name).update(await readFile(join(FOLDER, name)));
  return hash.digest('hex');
};

const PARTS = ['vmlinuz', 'initrd.img', 'SHA256SUMS'];

/** Built from the script and the agent of now, and nobody has taken a part of it away. */
export const isDiscoveryImageBuilt = async (files: string): Promise<boolean> => {
  const out = join(files, 'discovery');
  const mark = await readFile(join(out, '.source'), 'utf8').catch(() => '');
  return PARTS.every((name) => existsSync(join(out, name))) && mark.trim() === (await sourceHash());
};

export const buildDiscoveryImage = async (files: string, key?: SigningKey): Promise<void> => {
  if (await isDiscoveryImageBuilt(files)) return;
  const out = join(files, 'discovery');
  const source = await sourceHash();
  const mark = join(out, '.source');
  await mkdir(out, { recursive: true });
  const agent = join(files, 'agent.sh');
  await writeFile(agent, agentScript());
  await run(join(FOLDER, 'build.sh'), [out, agent], { timeout: 900_000, maxBuffer: 1 << 24 });
  if (key !== undefined) await signFolder(key, { folder: files, name: 'discovery' });
  await writeFile(mark, `${source}\n`);
};
