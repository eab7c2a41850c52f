/** The lab of `hostwright lab up`, on a database of the test. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentScript } from '@hostwright/agent';
import type { MasterKey } from '@hostwright/engine';
import type { LabMachine } from '@hostwright/providers';
import { startLab, type Lab } from '@hostwright/server';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';

export interface LabSite extends Lab {
  readonly home: string;
  readonly database: TestDatabase;
  /** Between tests: a machine of a case that failed would slow down all that follow. */
  cutAll(): Promise<void>;
  nodeOf(
    machine: LabMachine,
  ): Promise<{ id: number; name: string; bootenv: string; alive: boolean } | undefined>;
}

/**
 * The discovery image, built once per content of its build script and of the agent and kept between
 * runs: what is tested is the same, and a busy machine is spared.
 */
const placeImage = (files: string): void => {
  const folder = fileURLToPath(new URL('../../packages/agent/discovery-image/', import.meta.url));
  const hash = createHash('sha256').update(agentScript());
  for (const name of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, name)));
  const kept = join('/var/tmp', `hostwright-discovery-${hash.digest('hex').slice(0, 16)}`);
  if (!existsSync(join(kept, 'SHA256SUMS'))) {
    const draft = mkdtempSync(`${kept}-`);
    const agent = join(draft, 'agent.sh');
    writeFileSync(agent, agentScript());
    execFileSync('nice', ['-n', '10', join(folder, 'build.sh'), draft, agent], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (existsSync(kept)) rmSync(draft, { recursive: true });
    else renameSync(draft, kept);
  }
  mkdirSync(files, { recursive: true });
  cpSync(kept, join(files, 'discovery'), { recursive: true });
};

export const createLabSite = async (
  options: { readonly secureBoot?: boolean; readonly master?: MasterKey } = {},
): Promise<LabSite> => {
  const home = mkdtempSync(join(tmpdir(), 'hostwright-lab-'));
  const files = join(home, 'files');
  placeImage(files);
  const database = await createTestDatabase();
  const lab = await startLab({ database, home, files, ...options });
  const machines: LabMachine[] = [];
  return {
    ...lab,
    home,
    database,
    machine: async (options) => {
      const machine = await lab.machine(options);
      machines.push(machine);
      return machine;
    },
    cutAll: async () => {
      for (const machine of machines) await machine.cut();
    },
    nodeOf: (machine) =>
      database.db
        .selectFrom('node')
        .select(['id', 'name', 'bootenv', 'alive'])
        .where('system_uuid', '=', machine.uuid)
        .where('deleted_at', 'is', null)
        .executeTakeFirst(),
    close: async () => {
      await lab.close();
      await database.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
};
