/** A lab site that installs: barclamps imported, a worker running, an image to write, a BMC per machine. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { osInstallTransition, registerFile, sweepInstalls } from '@hostwright/boot';
import {
  bindRoles,
  commitSnapshot,
  createDeployment,
  importBarclamp,
  judgePresence,
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
  type Hammer,
  type LabBmc,
  type LabMachine,
} from '@hostwright/providers';
import { buildMini, type MiniPart } from '@hostwright/server';
import { eventually } from '@hostwright/testkit';
import { createLabSite, type LabSite } from './site.ts';

export interface InstallSite extends LabSite {
  readonly worker: Worker;
  /** A virtual BMC (ipmi_sim) for it; installations and `powerOn` use it from now on. */
  bmc(machine: LabMachine): Promise<Hammer>;
  /** Another way to switch it than a BMC of `bmc`. */
  giveHammer(machine: LabMachine, hammer: Hammer): void;
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

/** Roles that a machine carries out by itself, booted from the network. */
const BY_INSTALLER = ['provisioner-os-install', 'provisioner-erase'];

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const createInstallSite = async (
  options: { readonly parts?: readonly MiniPart[]; readonly secureBoot?: boolean } = {},
): Promise<InstallSite> => {
  const key = masterKey(Buffer.alloc(32, 7));
  const site = await createLabSite({ master: key, secureBoot: options.secureBoot ?? false });
  try {
    return await prepare(site, key, options.parts ?? []);
  } catch (error) {
    await site.close();
    throw error;
  }
};

const prepare = async (
  site: LabSite,
  key: MasterKey,
  parts: readonly MiniPart[],
): Promise<InstallSite> => {
  const { database } = site;
  const { db } = database;
  await buildMini(join(site.files, 'images/default.tar.gz'), parts);
  await registerFile(db, { folder: site.files, path: 'images/default.tar.gz' });
  const bmcs: LabBmc[] = [];
  /** By the machine's UUID: a node may not be there yet. */
  const hammers = new Map<string, Hammer>();
  const restart = async ({ node }: { node: { id: number } }) => {
    const { system_uuid: uuid } = await db
      .selectFrom('node')
      .select('system_uuid')
      .where('id', '=', node.id)
      .executeTakeFirstOrThrow();
    const hammer = hammers.get(uuid ?? '');
    return restartIntoNetwork(hammer === undefined ? [] : [hammer]);
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
        find: async (_, role) => (BY_INSTALLER.includes(role) ? transition : undefined),
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
    // what the provisioner's tick and the worker's chores do in a real site
    site
      .feed()
      .then(() => sweepInstalls(db))
      .then(() => judgePresence(db))
      .catch(() => undefined);
  }, 500);
  return {
    ...site,
    worker,
    bmc: async (machine) => {
      const bmc = await startBmc(machine);
      bmcs.push(bmc);
      const hammer = ipmiHammer({
        host: '127.0.0.1',
        port: bmc.port,
        username: bmc.username,
        password: bmc.password,
        cipherSuite: 3,
      });
      await eventually(() => hammer.power?.status(), { what: 'the BMC' });
      hammers.set(machine.uuid, hammer);
      return hammer;
    },
    giveHammer: (machine, hammer) => {
      hammers.set(machine.uuid, hammer);
    },
    powerOn: async (machine) => {
      await hammers.get(machine.uuid)?.power?.on();
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
      for (const bmc of bmcs) await step('a BMC', bmc.stop());
      await step('the site', site.close());
    },
  };
};
