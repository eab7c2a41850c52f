/**
 * Who else holds a port that a daemon is about to take. dnsmasq and Kea share UDP port 67 with
 * others without a word, and then two servers answer at random: so the port is looked at first.
 */
import { runCommand } from '@hostwright/providers';

export interface WantedPort {
  readonly port: number;
  readonly protocol: 'udp' | 'tcp';
  /** On these addresses and interfaces; a socket that listens elsewhere is in nobody's way. */
  readonly on: readonly string[];
}

export interface HeldPort {
  readonly port: number;
  readonly protocol: string;
  readonly pid: number | null;
  readonly program: string;
}

interface Socket extends HeldPort {
  readonly address: string;
  readonly device: string;
}

/** `UNCONN 0 0 192.168.77.1%eth0:67 0.0.0.0:* users:(("dnsmasq",pid=12,fd=4))` */
const readSocket = (line: string): Socket | null => {
  const words = line.trim().split(/\s+/);
  const found = /^(.*?)(?:%([^:%]+))?:(\d+)$/.exec(words[4] ?? '');
  if (found === null) return null;
  const holder = /\(\("([^"]*)",pid=(\d+)/.exec(line);
  return {
    protocol: words[0] ?? '',
    address: (found[1] ?? '').replace(/^\[|\]$/g, ''),
    device: found[2] ?? '',
    port: Number(found[3]),
    pid: holder === null ? null : Number(holder[2]),
    program: holder?.[1] ?? 'a program of another user',
  };
};

const isInTheWay = (socket: Socket, wanted: WantedPort): boolean => {
  if (socket.port !== wanted.port || socket.protocol !== wanted.protocol) return false;
  if (socket.device !== '') return wanted.on.includes(socket.device);
  return ['*', '0.0.0.0', '::'].includes(socket.address) || wanted.on.includes(socket.address);
};

/** Sockets in the way of these ports that are not of `ours`, a process that is about to be replaced. */
export const findHolders = async (
  ports: readonly WantedPort[],
  options: { readonly within?: readonly string[]; readonly ours?: readonly number[] },
): Promise<readonly HeldPort[]> => {
  const out = await runCommand([
    ...(options.within ?? []),
    'ss',
    '-H',
    '-l',
    '-n',
    '-u',
    '-t',
    '-p',
  ]);
  const sockets = out.split('\n').flatMap((line) => readSocket(line) ?? []);
  return sockets.filter(
    (socket) =>
      !(options.ours ?? []).includes(socket.pid ?? 0) &&
      ports.some((wanted) => isInTheWay(socket, wanted)),
  );
};

export const sayHolders = (held: readonly HeldPort[]): string =>
  [
    ...new Set(
      held.map(
        ({ port, protocol, program, pid }) =>
          `${protocol} port ${port} is taken by ${program}${pid === null ? '' : ` (pid ${pid})`}`,
      ),
    ),
  ].join('; ');

/** Interfaces and their addresses, which are what sockets are bound to. */
export const addressesOf = async (
  interfaces: readonly string[],
  within: readonly string[] = [],
): Promise<readonly string[]> => {
  const out = await runCommand([...within, 'ip', '-o', 'addr']);
  return [
    ...interfaces,
    ...out.split('\n').flatMap((line) => {
      const found = /^\d+: (\S+)\s+inet6? ([0-9a-f.:]+)\//.exec(line);
      return found !== null && interfaces.includes(found[1] ?? '') ? [found[2] ?? ''] : [];
    }),
  ];
};
