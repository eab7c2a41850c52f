/**
 * A private virtual rack with a whole Hostwright in it: server (TLS), boot listener and dnsmasq, their
 * sockets inside the rack's network namespace, and machines with virtual BMCs. For trying things out
 * and for the tests in tests/lab, which are the same thing.
 */
import { createServer as createSocketServer, type Server as SocketServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DNSMASQ_LAYOUT,
  dnsmasqDriver,
  ensureNetwork,
  feedServer,
  importOsTemplates,
  listenForLoaders,
  listenForTftp,
  registerBootServer,
  registerFolder,
  startDnsmasq,
  stopDnsmasq,
  type NetworkSpec,
} from '@hostwright/boot';
import { HostwrightError } from '@hostwright/core';
import { transaction, type Database, type MasterKey } from '@hostwright/engine';
import {
  addMachine,
  buildRack,
  removeLeftovers,
  runCommand,
  type LabMachine,
  type MachineOptions,
  type Rack,
} from '@hostwright/providers';
import { bootDeps, bootPlugin } from '../boot/plugin.ts';
import { createServer, type Server } from '../compose.ts';

export interface Lab {
  readonly rack: Rack;
  readonly server: Server;
  readonly files: string;
  readonly bootUrl: string;
  /** What an earlier lab in the same folder, killed, had left running; it is gone now. */
  readonly leftovers: readonly string[];
  machine(options: MachineOptions): Promise<LabMachine>;
  /** Brings dnsmasq up to date; its answer proves it. */
  feed(): Promise<void>;
  /** Every machine that is being served is cut off, as by a bad line. */
  cutConnections(): void;
  /** As if Hostwright were switched off; DHCP goes on. */
  stopServer(): Promise<void>;
  close(): Promise<void>;
}

export interface LabOptions {
  readonly database: Database;
  readonly home: string;
  /** Holds `discovery/` with its SHA256SUMS. */
  readonly files: string;
  readonly master?: MasterKey;
  readonly secureBoot?: boolean;
  /** Serve the console and the API on this loopback port as well, for people. */
  readonly loopbackPort?: number;
}

const DNS_PORT = 53;
const CLOSING_MS = 5000;
const SUBNET = '192.168.77.0/24';

const NETWORK: NetworkSpec = {
  name: 'admin',
  category: 'admin',
  domain: 'lab.test',
  ranges: [
    { name: 'host', kind: 'host', subnet: SUBNET, first: '192.168.77.10', last: '192.168.77.99' },
    { name: 'dhcp', kind: 'dhcp', subnet: SUBNET, first: '192.168.77.100', last: '192.168.77.250' },
  ],
};

/** The same server at a second place, for people: TLS is done by it, not by the door. */
const openDoor = async (port: number | undefined): Promise<SocketServer> => {
  const door = createSocketServer();
  if (port !== undefined)
    await new Promise<void>((resolve, reject) => {
      door.once('error', (cause) =>
        reject(
          new HostwrightError('conflict', {
            message: `port ${port} is in use; choose another with --port`,
            cause,
          }),
        ),
      );
      door.listen(port, '127.0.0.1', resolve);
    });
  return door;
};

/** What was opened on the way is closed again if a later step fails: an open socket would keep the process alive. */
export const startLab = async (options: LabOptions): Promise<Lab> => {
  const door = await openDoor(options.loopbackPort);
  const opened: (() => unknown)[] = [() => door.close()];
  try {
    return await assemble(options, door, (close) => opened.push(close));
  } catch (error) {
    for (const close of opened.toReversed()) await Promise.resolve(close()).catch(() => {});
    throw error;
  }
};

const assemble = async (
  options: LabOptions,
  door: SocketServer,
  onOpened: (close: () => unknown) => void,
): Promise<Lab> => {
  const { database, home, files } = options;
  const leftovers = [...(await removeLeftovers(home))];
  const rack = await buildRack({ home });
  onOpened(() => rack.remove());
  const bootUrl = `http://${rack.address}:8080`;
  const serverUrl = `https://${rack.address}:8443`;
  await registerFolder(database.db, { folder: files, name: 'discovery' });
  await importOsTemplates(database.db);
  await transaction(database.db, (tx) => ensureNetwork(tx, NETWORK));
  const boot = { filesFolder: files, bootUrl, serverUrl };
  const server = await createServer({
    database,
    config: {
      bootUrl,
      bootFolder: files,
      dataDir: join(home, 'data'),
      names: [rack.address, 'localhost', '127.0.0.1'],
      publicUrl: serverUrl,
      ...(options.master !== undefined && { master: options.master }),
    },
    plugins: [bootPlugin(boot)],
  });
  onOpened(() => server.close());
  await server.app.ready();
  const socket = await rack.openSocket(8443);
  await new Promise<void>((resolve) => server.app.server.listen(socket, resolve));
  door.on('connection', (connection) => server.app.server.emit('connection', connection));
  const listener = await listenForLoaders(bootDeps(server.context, boot), {
    socket: await rack.openSocket(8080),
  });
  onOpened(() => listener.close());
  const tftp =
    options.secureBoot === true
      ? await listenForTftp(bootDeps(server.context, boot), {
          socket: await rack.openUdpSocket(69),
        })
      : undefined;
  onOpened(() => tftp?.close());
  // apart from that of the role dhcp-server, which ends what it was not told to run
  const folder = join(home, 'rack-dnsmasq');
  await startDnsmasq(
    {
      folder,
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
  onOpened(() => stopDnsmasq(folder));
  const serverId = await registerBootServer(database.db, {
    name: 'dnsmasq',
    kind: 'dnsmasq',
    folder,
    // an older lab's files were elsewhere
    incarnation: `rack-dnsmasq: ${DNSMASQ_LAYOUT}`,
    // its log goes into the flight recorder
    host: hostname(),
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
  const driver = dnsmasqDriver({ folder, dnsPort: DNS_PORT, lookUp, timeoutSeconds: 60 });
  const machines: LabMachine[] = [];
  let open = true;
  const stopServer = async () => {
    if (!open) return;
    open = false;
    if (door.listening) door.close();
    // machines that were cut off leave polls and half-made connections that nobody will end
    const closed = Promise.all([listener.close(), tftp?.close(), server.close()]);
    server.app.server.closeAllConnections();
    await Promise.race([closed, sleep(CLOSING_MS, undefined, { ref: false })]);
  };
  return {
    rack,
    server,
    files,
    bootUrl,
    leftovers,
    machine: async (wanted) => {
      const machine = await addMachine(rack, join(home, 'machines'), wanted);
      machines.push(machine);
      return machine;
    },
    feed: async () => {
      await feedServer(database.db, { serverId, driver });
    },
    cutConnections: () => {
      listener.cut();
      server.app.server.closeAllConnections();
    },
    stopServer,
    close: async () => {
      for (const machine of machines) await machine.cut();
      await stopServer();
      await stopDnsmasq(folder);
      await rack.remove();
    },
  };
};
