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
  { name: 'zsh', files: ['/usr/bin/zsh', '/bin/zsh'], packages: ['zsh'] },
  { name: 'fish', files: ['/usr/bin/fish', '/bin/fish'], packages: ['fish'] },
  // static, because the discovery image takes it along; it replaces the package busybox
  { name: 'busybox', files: ['/usr/share/doc/busybox-static'], packages: ['busybox-static'] },
  { name: 'curl', files: ['/usr/bin/curl'], packages: ['curl'] },
  { name: 'wget', files: ['/usr/bin/wget'], packages: ['wget'] },
  { name: 'systemd', files: ['/usr/bin/systemd-analyze'], packages: ['systemd'] },
  { name: 'chromium', files: ['/usr/bin/chromium'], packages: ['chromium'] },
  { name: 'dnsmasq', files: ['/usr/sbin/dnsmasq'], packages: ['dnsmasq'] },
  { name: 'kea', files: ['/usr/sbin/kea-dhcp4'], packages: ['kea-dhcp4-server'] },
  {
    name: 'kea-schema',
    files: ['/usr/share/kea/scripts/pgsql/dhcpdb_create.pgsql'],
    packages: ['kea-admin'],
  },
  { name: 'perfdhcp', files: ['/usr/sbin/perfdhcp'], packages: ['kea-admin'] },
  { name: 'named', files: ['/usr/sbin/named'], packages: ['bind9'] },
  { name: 'dig', files: ['/usr/bin/dig'], packages: ['bind9-dnsutils'] },
  { name: 'ipmi_sim', files: ['/usr/bin/ipmi_sim'], packages: ['openipmi'] },
  { name: 'ipmitool', files: ['/usr/bin/ipmitool'], packages: ['ipmitool'] },
  // real machines, booted from the network: what the lab needs
  {
    name: 'qemu',
    files: ['/usr/bin/qemu-system-x86_64'],
    packages: ['qemu-system-x86', 'qemu-utils', 'ovmf'],
  },
  { name: 'ipxe', files: ['/usr/lib/ipxe/undionly.kpxe'], packages: ['ipxe', 'ipxe-qemu'] },
  {
    name: 'linux',
    files: ['/usr/share/doc/linux-image-amd64'],
    packages: ['linux-image-amd64', 'kmod', 'cpio', 'zstd', 'fdisk'],
  },
  {
    name: 'grub',
    files: ['/usr/lib/grub/i386-pc'],
    packages: ['grub-pc-bin', 'grub2-common', 'dosfstools', 'mdadm', 'lvm2'],
  },
  { name: 'efibootmgr', files: ['/usr/bin/efibootmgr'], packages: ['efibootmgr'] },
  {
    name: 'shim',
    files: ['/usr/lib/shim/shimx64.efi.signed'],
    packages: ['shim-signed', 'grub-efi-amd64-signed'],
  },
  // what the discovery image takes along, and what it is checked against
  { name: 'tcpdump', files: ['/usr/bin/tcpdump'], packages: ['tcpdump', 'ethtool'] },
  { name: 'dropbear', files: ['/usr/sbin/dropbear'], packages: ['dropbear-bin'] },
  { name: 'lldpd', files: ['/usr/sbin/lldpd'], packages: ['lldpd'] },
  { name: 'minisign', files: ['/usr/bin/minisign'], packages: ['minisign'] },
  { name: 'memtest', files: ['/boot/memtest86+x64.bin'], packages: ['memtest86+'] },
  { name: 'apt-ftparchive', files: ['/usr/bin/apt-ftparchive'], packages: ['apt-utils'] },
  { name: 'cloud-init', files: ['/usr/bin/cloud-init'], packages: ['cloud-init'] },
];

/** Only the long lab (`npm run test:lab`) needs these: too large for every `npm test`. */
const LAB_PEERS: readonly Peer[] = [
  {
    name: 'grub-efi',
    files: ['/usr/lib/grub/x86_64-efi'],
    packages: ['grub-efi-amd64-bin'],
  },
  // writes an ESP without mounting it
  { name: 'mtools', files: ['/usr/bin/mcopy'], packages: ['mtools'] },
  {
    name: 'debian-installer',
    files: ['/usr/lib/debian-installer/images/12/amd64'],
    packages: ['debian-installer-12-netboot-amd64'],
  },
];

export const isHere = (peer: Peer): boolean => peer.files.some((file) => existsSync(file));

export const installPeers = (say: (line: string) => void, suite?: string): readonly Peer[] => {
  const wanted = suite === 'lab' ? [...PEERS, ...LAB_PEERS] : PEERS;
  const missing = wanted.filter((peer) => !isHere(peer));
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
