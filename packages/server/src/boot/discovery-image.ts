/** Builds the discovery image into the folder of boot files, unless it is there already. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { agentScript } from '@hostwright/agent';

const run = promisify(execFile);

export const buildDiscoveryImage = async (files: string): Promise<void> => {
  const out = join(files, 'discovery');
  if (existsSync(join(out, 'SHA256SUMS'))) return;
  await mkdir(files, { recursive: true });
  const agent = join(files, 'agent.sh');
  await writeFile(agent, agentScript());
  const script = fileURLToPath(new URL('../../../agent/discovery-image/build.sh', import.meta.url));
  await run(script, [out, agent], { timeout: 900_000, maxBuffer: 1 << 24 });
};
