/** A lab site that installs: barclamps imported, a worker running, an image to write, a BMC per machine. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { osInstallTransition, registerFile, sweepInstalls } from '@hostwright/boot';
import {
  bindRoles,
  commitSnapshot,
  createDeployment,
  importBarclamp,
  masterKey,
  planSnapshot,
  proposeSnapshot,
  SILENT,
  startWorker,
  type MasterKey,
  type Plan,
  type Worker,
} from '@hostwright/engine';
import { createRoleProvidedJig, createScriptJig, noopJig } from '@hostwright/jigs';
import {
  ipmiHammer,
  restartIntoNetwork,
  startBmc,
  type LabBmc,
  type LabMachine,
} from '@hostwright/providers';
import { eventually } from '@hostwright/testkit';
import { createLabSite, type LabSite } from './site.ts';

export interface InstallSite extends LabSite {
  readonly worker: Worker;
  bmc(machine: LabMachine): Promise<LabBmc>;
  powerOn(machine: LabMachine): Promise<void>;
  /** Commits the role with its consent; returns the noderole of the installation. */
  install(options: {
    readonly machine: LabMachine;
    readonly deployment: string;
    readonly roles?: readonly string[];
    readonly data?: Record<string, unknown>;
  }): Promise<{ noderoleId: number; plan: Plan }>;
  phase(machine: LabMachine): Promise<string | undefined>;
  state(noderoleId: number): Promise<{ state: string; reason: string }>;
}

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const createInstallSite = async (
  options: { readonly secureBoot?: boolean } = {},
): Promise<InstallSite> => {
  const key = masterKey(Buffer.alloc(32, 7));
  const site = await createLabSite({ master: key, ...options });
  try {
    return await prepare(site, key);
  } catch (error) {
    await site.close();
    throw error;
  }
};

const prepare = async (site: LabSite, key: MasterKey): Promise<InstallSite> => {
  const { database } = site;
  const { db } = database;
  execFileSync(
    'nice',
    ['-n', '10', folder('mini/build.sh'), join(site.files, 'images/default.tar.gz')],
    { stdio: 'ignore' },
  );
  await registerFile(db, { folder: site.files, path: 'images/default.tar.gz' });
  const bmcs = new Map<number, LabBmc>();
  const all: LabBmc[] = [];
  const restart = async ({ node }: { node: { id: number } }) => {
    const bmc = bmcs.get(node.id);
    if (bmc === undefined) return { ok: false as const, reasons: ['the node has no BMC'] };
    return restartIntoNetwork([
      ipmiHammer({
        host: '127.0.0.1',
        port: bmc.port,
        username: bmc.username,
        password: bmc.password,
        cipherSuite: 3,
      }),
    ]);
  };
  const transition = osInstallTransition({ database, restart });
  const worker = await startWorker({
    database,
    log: SILENT,
    name: 'lab',
    master: key,
    tickMs: 300,
    jigs: [
      noopJig,
      createScriptJig({ database, master: key, log: SILENT }),
      createRoleProvidedJig({
        find: async (_, role) => (role === 'provisioner-os-install' ? transition : undefined),
      }),
    ],
  });
  for (const name of ['noop', 'script', 'role-provided'])
    await db
      .insertInto('jig')
      .values({ name })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  for (const name of ['core', 'provisioner', 'network'])
    await importBarclamp(db, { folder: folder(`../../barclamps/${name}`), actor: 'lab' });
  await importBarclamp(db, { folder: folder('barclamp'), actor: 'lab' });
  const ticking = setInterval(() => {
    // what the provisioner's own tick does in a real site
    site
      .feed()
      .then(() => sweepInstalls(db))
      .catch(() => undefined);
  }, 500);
  return {
    ...site,
    worker,
    bmc: async (machine) => {
      const bmc = await startBmc(machine);
      all.push(bmc);
      const node = await site.nodeOf(machine);
      if (node !== undefined) bmcs.set(node.id, bmc);
      return bmc;
    },
    powerOn: async (machine) => {
      const bmc = all.at(-1);
      if (bmc === undefined) throw new Error('start a BMC first');
      const hammer = ipmiHammer({
        host: '127.0.0.1',
        port: bmc.port,
        username: bmc.username,
        password: bmc.password,
        cipherSuite: 3,
      });
      await eventually(() => hammer.power?.status(), { what: 'the BMC' });
      await hammer.power?.on();
      const node = await eventually(() => site.nodeOf(machine), {
        limitSeconds: 400,
        what: 'the node',
      });
      bmcs.set(node.id, bmc);
    },
    install: async ({ machine, deployment, roles = [], data = {} }) => {
      const node = await site.nodeOf(machine);
      if (node === undefined) throw new Error('no node');
      const made = await createDeployment(db, { name: deployment, actor: 'lab' });
      const snapshot = await proposeSnapshot(db, { deploymentId: made.id, actor: 'lab' });
      const bound = await bindRoles(db, {
        snapshotId: snapshot.id,
        actor: 'lab',
        bindings: [
          {
            role: 'provisioner-os-install',
            node: node.name,
            data: { os_install: { os: 'image', ...data } },
          },
          ...roles.map((role) => ({ role, node: node.name })),
        ],
      });
      if (bound.refusals.length > 0) throw new Error(JSON.stringify(bound.refusals));
      const plan = await planSnapshot(db, snapshot.id);
      if (plan.refusals.length > 0) throw new Error(JSON.stringify(plan.refusals));
      await commitSnapshot(db, {
        snapshotId: snapshot.id,
        planHash: plan.hash,
        actor: 'lab',
        consent: plan.destructive.map((one) => ({
          role: one.role,
          node: one.node,
          disks: one.disks.map((disk) => disk.name),
        })),
      });
      const row = await db
        .selectFrom('noderole')
        .innerJoin('role', 'role.id', 'noderole.role_id')
        .select('noderole.id')
        .where('role.name', '=', 'provisioner-os-install')
        .where('noderole.node_id', '=', node.id)
        .executeTakeFirstOrThrow();
      return { noderoleId: row.id, plan };
    },
    phase: async (machine) => {
      const node = await site.nodeOf(machine);
      const row = await db
        .selectFrom('os_install')
        .select('phase')
        .where('node_id', '=', node?.id ?? 0)
        .orderBy('id', 'desc')
        .executeTakeFirst();
      return row?.phase;
    },
    state: (noderoleId) =>
      db
        .selectFrom('noderole')
        .select(['state', 'reason'])
        .where('id', '=', noderoleId)
        .executeTakeFirstOrThrow(),
    close: async () => {
      clearInterval(ticking);
      const step = async (name: string, work: Promise<unknown>): Promise<void> => {
        const ended = await Promise.race([
          work.then(() => true),
          sleep(20_000, false, { ref: false }),
        ]);
        if (!ended) process.stderr.write(`lab: ${name} did not end within 20 s\n`);
      };
      await step('the worker', worker.stop());
      for (const bmc of all) await step('a BMC', bmc.stop());
      await step('the site', site.close());
    },
  };
};
