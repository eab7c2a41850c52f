/** Starts a lab in the order in which each part needs the one before. Each step says how it is undone. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { registerFile, startBootKeeper } from '@hostwright/boot';
import { registerJigs, startWorker } from '@hostwright/engine';
import {
  buildDiscoveryImage,
  buildMini,
  isDiscoveryImageBuilt,
  powerRack,
  startLab,
} from '@hostwright/server';
import { writeLocalContext } from '../context.ts';
import { readMasterKey } from '../master-key.ts';
import type { Output } from '../output.ts';
import { openMigrated } from '../process-database.ts';
import { openLog } from '../process-log.ts';
import { NO_AGENT, readyAdminAgent } from '../up/admin-agent.ts';
import { buildConsole } from '../up/build-console.ts';
import { openDatabaseServer } from '../up/embedded-postgres.ts';
import { prepare } from '../up/prepare.ts';
import { superviseChild } from '../up/supervise.ts';
import { startChores } from '../worker-chores.ts';
import { openJigs } from '../worker-jigs.ts';

const BARCLAMPS = ['core', 'network', 'dhcp', 'dns', 'provisioner', 'demo'];
const IMAGE = 'images/default.tar.gz';

export interface LabUpOptions {
  readonly home: string;
  readonly machines: number;
  readonly port: number;
  readonly memory: number;
}

export interface LabUpSurroundings {
  readonly out: Output;
  readonly signal: AbortSignal;
  /** Run in the opposite order when everything stops. */
  readonly undo: (step: () => Promise<void> | void) => void;
}

/** What is served to machines: the discovery image, and a small system to install. */
const buildFiles = async (files: string, out: Output): Promise<void> => {
  if (!(await isDiscoveryImageBuilt(files))) {
    out.line('building the discovery image (once; about a minute) ...');
    await buildDiscoveryImage(files);
  }
  if (!existsSync(join(files, IMAGE))) await buildMini(join(files, IMAGE), ['lvm', 'raid']);
};

const showHelp = (out: Output, options: LabUpOptions & { readonly signInUrl: string }): void => {
  const command = `npm run hostwright -- --data-dir ${options.home}`;
  for (const line of [
    '',
    out.paint(
      'bold',
      `  A rack of ${options.machines === 1 ? '1 machine' : `${options.machines} machines`}, as real as QEMU makes them`,
    ),
    '',
    `  Sign in (once):   ${out.paint('cyan', options.signInUrl)}`,
    `  Command line:     ${command} node list`,
    `  Install one:      bind provisioner-os-install with os_install/os: image`,
    `  Consoles, logs:   ${options.home}/machines/*/console.log, ${options.home}/lab.log`,
    '',
    out.paint('dim', '  Ctrl-C stops everything; disks and data are kept for the next start.'),
    '',
  ])
    out.line(line);
};

export const bringUpLab = async (
  options: LabUpOptions,
  around: LabUpSurroundings,
): Promise<void> => {
  const { home, port } = options;
  const { out, undo, signal } = around;
  const log = openLog('lab', join(home, 'lab.log'));
  mkdirSync(join(home, 'logs'), { recursive: true, mode: 0o700 });
  const files = join(home, 'boot');
  const building = buildConsole(signal);
  building.catch(() => {});
  await buildFiles(files, out);
  const { note } = await building;
  if (note !== '') out.line(note);
  out.line('starting PostgreSQL, server, dnsmasq ...');
  const { url, postgres } = await openDatabaseServer(home);
  if (postgres !== undefined) undo(() => postgres.stop());
  const database = await openMigrated({
    url,
    name: 'hostwright-lab',
    maxConnections: 30,
    onIdleError: () => undefined,
  });
  undo(() => database.close());
  const master = await readMasterKey(home);
  const ready = await prepare({ database, folder: home, master, barclamps: BARCLAMPS });
  await registerFile(database.db, { folder: files, path: IMAGE });
  const lab = await startLab({ database, home, files, master, loopbackPort: port });
  undo(() => lab.close());
  for (const left of lab.leftovers) out.line(`left by a lab that was killed, now gone: ${left}`);
  const carried = openJigs({ database, master, log, folder: home });
  undo(() => carried.close());
  await registerJigs(database.db, carried.jigs);
  const worker = await startWorker({ database, log, jigs: carried.jigs, master, name: 'lab' });
  undo(() => worker.stop());
  const chores = await startChores({ database, log, master, jigs: carried.jigs });
  undo(() => chores.stop());
  const keeper = startBootKeeper({ database, log });
  undo(() => keeper.stop());
  const ca = lab.server.context.tls?.caPem;
  const context = {
    url: `https://127.0.0.1:${port}`,
    token: ready.apiToken,
    ...(ca !== undefined && ca !== null && { ca }),
  };
  writeLocalContext(home, context);
  const agent = await readyAdminAgent({ folder: home, context, database, node: ready.adminNode });
  if (agent === undefined) out.line(NO_AGENT);
  else {
    const child = superviseChild(agent);
    undo(() => child.stop());
  }
  if (signal.aborted) return;
  const signInUrl = `https://127.0.0.1:${port}/signin#token=${ready.signinToken}`;
  showHelp(out, { ...options, signInUrl });
  const rack = await powerRack({
    lab,
    database,
    master,
    log,
    machines: options.machines,
    memory: options.memory,
    onMachine: (machine, bmc) =>
      out.line(
        `${machine.name}  switched on; ${machine.macs[0] ?? ''}, BMC 127.0.0.1:${bmc.port} (${bmc.username})`,
      ),
    onProgress: (machine, text, seconds) =>
      out.line(`${machine.name}  ${text}, ${seconds.toFixed(0)} s after power-on`),
  });
  undo(() => rack.stop());
};
