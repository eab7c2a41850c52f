/**
 * A whole Hostwright for a rack: database, server (TLS), boot listener, dnsmasq and a worker, its
 * sockets inside the rack's namespace. What a machine of the rack sees is what a real one would.
 */
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
import {
  createNetwork,
  dnsmasqDriver,
  feedServer,
  importOsTemplates,
  listenForLoaders,
  registerBootServer,
  registerFolder,
  startDnsmasq,
  stopDnsmasq,
  type BootListener,
} from '@hostwright/boot';
import { transaction, type MasterKey } from '@hostwright/engine';
import {
  addMachine,
  buildRack,
  runCommand,
  type LabMachine,
  type MachineOptions,
  type Rack,
} from '@hostwright/providers';
import { bootDeps, bootPlugin, createServer, type Server } from '@hostwright/server';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';

const DNS_PORT = 53;

export interface LabSite {
  readonly rack: Rack;
  readonly home: string;
  /** Kernels, initrds, images. */
  readonly files: string;
  readonly database: TestDatabase;
  readonly bootUrl: string;
  machine(options: MachineOptions): Promise<LabMachine>;
  nodeOf(
    machine: LabMachine,
  ): Promise<{ id: number; name: string; bootenv: string; alive: boolean } | undefined>;
  /** Brings dnsmasq up to date; its answers prove it. */
  feed(): Promise<void>;
  stopServer(): Promise<void>;
  close(): Promise<void>;
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
  const rack = await buildRack();
  const bootUrl = `http://${rack.address}:8080`;
  const serverUrl = `https://${rack.address}:8443`;
  await registerFolder(database.db, { folder: files, name: 'discovery' });
  await importOsTemplates(database.db);
  await transaction(database.db, (tx) =>
    createNetwork(tx, {
      name: 'admin',
      category: 'admin',
      domain: 'lab.test',
      ranges: [
        {
          name: 'host',
          kind: 'host',
          subnet: '192.168.77.0/24',
          first: '192.168.77.10',
          last: '192.168.77.99',
        },
        {
          name: 'dhcp',
          kind: 'dhcp',
          subnet: '192.168.77.0/24',
          first: '192.168.77.100',
          last: '192.168.77.250',
        },
      ],
    }),
  );
  const boot = { filesFolder: files, bootUrl, serverUrl };
  const server: Server = await createServer({
    database,
    config: {
      dataDir: join(home, 'data'),
      names: [rack.address],
      publicUrl: serverUrl,
      ...(options.master !== undefined && { master: options.master }),
    },
    plugins: [bootPlugin(boot)],
  });
  await server.app.ready();
  const socket = await rack.openSocket(8443);
  await new Promise<void>((resolve) => server.app.server.listen(socket, resolve));
  const listener: BootListener = await listenForLoaders(bootDeps(server.context, boot), {
    socket: await rack.openSocket(8080),
  });
  const dnsmasq = join(home, 'dnsmasq');
  await startDnsmasq(
    {
      folder: dnsmasq,
      interfaces: [rack.bridge],
      dnsPort: DNS_PORT,
      bootUrl,
      domain: 'lab.test',
      pools: [{ first: '192.168.77.100', last: '192.168.77.250', netmask: '255.255.255.0' }],
      routerAdvertisements: [rack.prefix],
      verbose: true,
      ...(options.secureBoot === true && { secureBoot: true }),
    },
    rack.within,
  );
  const serverId = await registerBootServer(database.db, {
    name: 'dnsmasq',
    kind: 'dnsmasq',
    folder: dnsmasq,
  });
  const lookUp = async (name: string) =>
    (
      await runCommand([
        ...rack.within,
        'dig',
        '+short',
        '+time=1',
        '+tries=1',
        '@127.0.0.1',
        name,
        'AAAA',
      ])
    )
      .trim()
      .split('\n');
  const driver = dnsmasqDriver({ folder: dnsmasq, dnsPort: DNS_PORT, lookUp });
  const machines: LabMachine[] = [];
  let open = true;
  const stopServer = async () => {
    if (!open) return;
    open = false;
    await listener.close();
    await server.close();
  };
  return {
    rack,
    home,
    files,
    database,
    bootUrl,
    machine: async (wanted) => {
      const machine = await addMachine(rack, join(home, 'machines'), wanted);
      machines.push(machine);
      return machine;
    },
    nodeOf: (machine) =>
      database.db
        .selectFrom('node')
        .select(['id', 'name', 'bootenv', 'alive'])
        .where('system_uuid', '=', machine.uuid)
        .where('deleted_at', 'is', null)
        .executeTakeFirst(),
    feed: async () => {
      await feedServer(database.db, { serverId, driver });
    },
    stopServer,
    close: async () => {
      for (const machine of machines) await machine.cut();
      await stopServer();
      await stopDnsmasq(dnsmasq);
      await rack.remove();
      await database.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
};
