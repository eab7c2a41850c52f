/** Two network namespaces and a cable between them: a DHCP server's side and a machine's side. */
import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { canMakeNamespaces } from '@hostwright/providers';

const run = promisify(execFile);

export const hasPrograms = (...paths: string[]): boolean =>
  process.getuid?.() === 0 && paths.every((path) => existsSync(path)) && canMakeNamespaces();

export interface Cable {
  readonly server: string;
  readonly machine: string;
  readonly serverLink: string;
  readonly machineLink: string;
  inServer(...command: string[]): Promise<string>;
  inMachine(...command: string[]): Promise<string>;
  remove(): void;
}

/** `serverHere`: the server's end is in this namespace, for daemons that need its loopback as well. */
export const layCable = async (
  serverAddress: string,
  options: { readonly serverHere?: boolean } = {},
): Promise<Cable> => {
  const tag = randomBytes(3).toString('hex');
  const [server, machine] = [`hws-${tag}`, `hwm-${tag}`];
  const [serverLink, machineLink] = [`s${tag}`, `m${tag}`];
  const ip = (...args: string[]) =>
    execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const here = options.serverHere === true;
  const inServerSide = here ? [] : ['-n', server];
  if (!here) ip('netns', 'add', server);
  ip('netns', 'add', machine);
  ip(
    ...inServerSide,
    'link',
    'add',
    serverLink,
    'type',
    'veth',
    'peer',
    'name',
    machineLink,
    'netns',
    machine,
  );
  if (!here) ip('-n', server, 'link', 'set', 'lo', 'up');
  ip(...inServerSide, 'link', 'set', serverLink, 'up');
  ip('-n', machine, 'link', 'set', 'lo', 'up');
  ip('-n', machine, 'link', 'set', machineLink, 'up');
  ip(...inServerSide, 'addr', 'add', serverAddress, 'dev', serverLink);
  const within =
    (name: string) =>
    async (...command: string[]) => {
      const { stdout } = await run('ip', ['netns', 'exec', name, ...command], {
        timeout: 30_000,
        maxBuffer: 1 << 24,
      });
      return stdout;
    };
  return {
    server,
    machine,
    serverLink,
    machineLink,
    inServer: within(server),
    inMachine: within(machine),
    remove: () => {
      if (!here) ip('netns', 'del', server);
      ip('netns', 'del', machine);
    },
  };
};

/** What a DHCP server offers to this MAC: a real lease by busybox's client. */
export const leaseFor = async (
  cable: Cable,
  address: string,
  script: string,
): Promise<Record<string, string>> => {
  await cable.inMachine('ip', 'link', 'set', cable.machineLink, 'down');
  await cable.inMachine('ip', 'link', 'set', cable.machineLink, 'address', address);
  await cable.inMachine('ip', 'link', 'set', cable.machineLink, 'up');
  const out = await cable.inMachine(
    'busybox',
    'udhcpc',
    '-i',
    cable.machineLink,
    '-q',
    '-n',
    '-f',
    '-t',
    '10',
    '-T',
    '1',
    '-s',
    script,
    '-V',
    'PXEClient:Arch:00000:UNDI:002001',
    '-O',
    'bootfile',
    '-x',
    '0x5d:0000',
  );
  return Object.fromEntries(
    out
      .split('\n')
      .flatMap((line) => (line.includes('=') ? [line.split(/=(.*)/s).slice(0, 2)] : [])),
  );
};
