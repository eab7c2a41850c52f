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

/** `machineAddress`: the machine's end is in this namespace, so that this process can ask the server. */
export const layCable = async (
  serverAddress: string,
  options: { readonly machineAddress?: string } = {},
): Promise<Cable> => {
  const tag = randomBytes(3).toString('hex');
  const [server, machine] = [`hws-${tag}`, `hwm-${tag}`];
  const [serverLink, machineLink] = [`s${tag}`, `m${tag}`];
  const ip = (...args: string[]) =>
    execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const here = options.machineAddress !== undefined;
  const inMachineSide = here ? [] : ['-n', machine];
  ip('netns', 'add', server);
  if (!here) ip('netns', 'add', machine);
  const peer = ['type', 'veth', 'peer', 'name', serverLink, 'netns', server];
  ip(...inMachineSide, 'link', 'add', machineLink, ...peer);
  ip('-n', server, 'link', 'set', 'lo', 'up');
  ip('-n', server, 'link', 'set', serverLink, 'up');
  if (!here) ip('-n', machine, 'link', 'set', 'lo', 'up');
  ip(...inMachineSide, 'link', 'set', machineLink, 'up');
  ip('-n', server, 'addr', 'add', serverAddress, 'dev', serverLink);
  if (here) ip('addr', 'add', options.machineAddress ?? '', 'dev', machineLink);
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
      ip('netns', 'del', server);
      if (!here) ip('netns', 'del', machine);
    },
  };
};

/** busybox's DHCP client at the machine's end; `script` is called with each answer. */
export const askForLease = (
  cable: Cable,
  script: string,
  ...more: readonly string[]
): Promise<string> => {
  const once = ['-q', '-n', '-f', '-t', '10', '-T', '1'];
  return cable.inMachine(
    'busybox',
    'udhcpc',
    '-i',
    cable.machineLink,
    ...once,
    '-s',
    script,
    ...more,
  );
};

/** What a DHCP server offers to this MAC: a real lease. */
export const leaseFor = async (
  cable: Cable,
  address: string,
  script: string,
  client: 'loader' | 'system' = 'loader',
): Promise<Record<string, string>> => {
  await cable.inMachine('ip', 'link', 'set', cable.machineLink, 'down');
  await cable.inMachine('ip', 'link', 'set', cable.machineLink, 'address', address);
  await cable.inMachine('ip', 'link', 'set', cable.machineLink, 'up');
  const loader = ['-V', 'PXEClient:Arch:00000:UNDI:002001', '-O', 'bootfile', '-x', '0x5d:0000'];
  const out = await askForLease(cable, script, ...(client === 'loader' ? loader : []));
  return Object.fromEntries(
    out
      .split('\n')
      .flatMap((line) => (line.includes('=') ? [line.split(/=(.*)/s).slice(0, 2)] : [])),
  );
};

/** The port of name servers at the server's end: 53 may be taken. */
export const DNS_PORT = 5353;

/** Answers of the name server at the server's end, one a line. */
export const digAt =
  (cable: Cable) =>
  async (...question: string[]): Promise<string[]> => {
    const dig = ['dig', '+short', '+time=1', '+tries=2', '-p', String(DNS_PORT), '@127.0.0.1'];
    const answer = await cable.inServer(...dig, ...question);
    return answer.split('\n').filter((line) => line !== '');
  };

/** Ends with another code than 0 where answers are missing: what it reports is what counts. */
export const perfdhcp = async (cable: Cable, options: string): Promise<string> => {
  await cable.inMachine('ip', 'addr', 'add', '192.168.77.9/24', 'dev', cable.machineLink);
  const words = ['netns', 'exec', cable.machine, 'perfdhcp', '-4', ...options.split(' ')];
  // not in step: a server may need this process to answer it meanwhile
  const said = await run('ip', [...words, '-l', cable.machineLink, '192.168.77.1'], {
    timeout: 60_000,
  }).catch((error: { stdout?: string; stderr?: string }) => error);
  await cable.inMachine('ip', 'addr', 'flush', 'dev', cable.machineLink);
  return `${said.stdout ?? ''}${said.stderr ?? ''}`;
};
