/**
 * A private virtual rack: a network namespace with a bridge, and a tap per machine. Nothing of it can
 * reach, or be reached from, any real network.
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:dgram';
import type { Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { HostwrightError } from '@hostwright/core';
import { namespaceFile } from './leftovers.ts';
import { runCommand } from './run-command.ts';

export interface Rack {
  readonly namespace: string;
  readonly bridge: string;
  readonly address: string;
  readonly prefix: string;
  /** In front of a command that is to run inside. */
  readonly within: readonly string[];
  addTap(name: string): Promise<void>;
  /** A listening socket inside the namespace, for a server outside of it. */
  openSocket(port: number): Promise<Server>;
  openUdpSocket(port: number): Promise<Socket>;
  remove(): Promise<void>;
}

export interface RackOptions {
  /** The lab's folder: the name of the namespace is kept there, for `removeLeftovers`. */
  readonly home: string;
  readonly address?: string;
}

const listenInside = <Handle extends Server | Socket>(
  within: readonly string[],
  kind: 'tcp' | 'udp',
  address: string,
  port: number,
): Promise<Handle> =>
  new Promise((resolve, reject) => {
    const [program = '', ...args] = within;
    const script = fileURLToPath(new URL('listen-inside.ts', import.meta.url));
    const child = fork(script, [kind, address, String(port)], {
      execPath: program,
      execArgv: [...args, process.execPath],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(
        new HostwrightError('unavailable', {
          message: `no socket on ${address}:${port} (exit ${code})`,
        }),
      ),
    );
    child.once('message', (_, handle) => {
      child.removeAllListeners('exit');
      child.disconnect();
      // listen-inside.ts sends nothing else
      resolve(handle as Handle);
    });
  });

export const buildRack = async (options: RackOptions): Promise<Rack> => {
  const namespace = `hwlab-${randomBytes(3).toString('hex')}`;
  const address = options.address ?? '192.168.77.1';
  const bridge = 'br0';
  const within = ['ip', 'netns', 'exec', namespace];
  const ip = (...args: string[]) => runCommand(['ip', '-n', namespace, ...args]);
  // before it is made: whatever is killed in between leaves a trace
  writeFileSync(namespaceFile(options.home), namespace);
  await runCommand(['ip', 'netns', 'add', namespace]);
  await ip('link', 'set', 'lo', 'up');
  await ip(
    'link',
    'add',
    bridge,
    'type',
    'bridge',
    'forward_delay',
    '0',
    'stp_state',
    '0',
    'mcast_snooping',
    '0',
  );
  await ip('addr', 'add', `${address}/24`, 'dev', bridge);
  await ip('link', 'set', bridge, 'up');
  // iPXE waits about 15 s for a router advertisement unless one comes; dnsmasq sends it from here
  await ip('-6', 'addr', 'add', 'fd77::1/64', 'dev', bridge, 'nodad');
  return {
    namespace,
    bridge,
    address,
    prefix: 'fd77::',
    within,
    addTap: async (name) => {
      await ip('tuntap', 'add', name, 'mode', 'tap');
      await ip('link', 'set', name, 'master', bridge, 'up');
    },
    openSocket: (port) => listenInside<Server>(within, 'tcp', address, port),
    openUdpSocket: (port) => listenInside<Socket>(within, 'udp', address, port),
    remove: async () => {
      await runCommand(['ip', 'netns', 'del', namespace]);
      rmSync(namespaceFile(options.home), { force: true });
    },
  };
};
