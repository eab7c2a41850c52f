/**
 * The real servers and shells that tests talk to, as Debian names them. Installed by `npm test`
 * when it is root on Debian; elsewhere the tests that need a missing one are skipped by name.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export interface Peer {
  readonly name: string;
  /** Any of these files means that it is here. */
  readonly files: readonly string[];
  readonly packages: readonly string[];
}

export const PEERS: readonly Peer[] = [
  { name: 'sshd', files: ['/usr/sbin/sshd'], packages: ['openssh-server'] },
  { name: 'ssh', files: ['/usr/bin/ssh'], packages: ['openssh-client'] },
  { name: 'dash', files: ['/usr/bin/dash', '/bin/dash'], packages: ['dash'] },
  { name: 'bash', files: ['/usr/bin/bash', '/bin/bash'], packages: ['bash'] },
  { name: 'busybox', files: ['/usr/bin/busybox', '/bin/busybox'], packages: ['busybox'] },
  { name: 'curl', files: ['/usr/bin/curl'], packages: ['curl'] },
  { name: 'wget', files: ['/usr/bin/wget'], packages: ['wget'] },
  { name: 'chromium', files: ['/usr/bin/chromium'], packages: ['chromium'] },
];

export const isHere = (peer: Peer): boolean => peer.files.some((file) => existsSync(file));

export const installPeers = (say: (line: string) => void): readonly Peer[] => {
  const missing = PEERS.filter((peer) => !isHere(peer));
  const canInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (missing.length === 0 || !canInstall) return missing;
  const packages = missing.flatMap((peer) => peer.packages);
  say(`installing ${packages.join(' ')}`);
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', '-qq', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  apt('update');
  apt('install', '-y', '--no-install-recommends', ...packages);
  return missing.filter((peer) => !isHere(peer));
};
