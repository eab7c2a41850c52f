/** What a rack needs on this machine, and what of it is missing. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';

const NEEDS: readonly (readonly [string, readonly string[]])[] = [
  ['iproute2', ['/usr/sbin/ip', '/sbin/ip']],
  ['qemu-system-x86', ['/usr/bin/qemu-system-x86_64']],
  ['qemu-utils', ['/usr/bin/qemu-img']],
  ['ipxe-qemu', ['/usr/lib/ipxe/qemu/pxe-virtio.rom']],
  ['ipxe', ['/usr/lib/ipxe/undionly.kpxe']],
  ['dnsmasq', ['/usr/sbin/dnsmasq']],
  ['cpio', ['/usr/bin/cpio', '/bin/cpio']],
  ['kmod', ['/usr/sbin/modprobe', '/sbin/modprobe']],
  ['zstd', ['/usr/bin/zstd']],
  ['curl', ['/usr/bin/curl']],
  ['busybox-static', ['/bin/busybox', '/usr/bin/busybox']],
  ['grub-pc-bin', ['/usr/lib/grub/i386-pc']],
  ['grub2-common', ['/usr/sbin/grub-install']],
  ['openipmi', ['/usr/bin/ipmi_sim']],
  ['ipmitool', ['/usr/bin/ipmitool']],
  ['bind9-dnsutils', ['/usr/bin/dig']],
  ['fdisk', ['/usr/sbin/sfdisk', '/sbin/sfdisk']],
];

/** Root in a container may still not be allowed to. */
export const canMakeNamespaces = (): boolean => {
  const name = `hwprobe-${process.pid}`;
  if (spawnSync('ip', ['netns', 'add', name], { stdio: 'ignore' }).status !== 0) return false;
  const linked = spawnSync('ip', ['-n', name, 'link', 'add', 'probe0', 'type', 'bridge'], {
    stdio: 'ignore',
  });
  spawnSync('ip', ['netns', 'del', name], { stdio: 'ignore' });
  return linked.status === 0;
};

const hasKernel = (): boolean =>
  existsSync('/boot') &&
  readdirSync('/boot').some((name) => /^vmlinuz-.*-amd64$/.test(name) && !name.includes('cloud'));

/** Debian packages to install; empty = a rack can be built here. */
export const missingForRack = (): readonly string[] => [
  ...(process.getuid?.() === 0 ? [] : ['(root)']),
  ...(existsSync('/dev/net/tun') ? [] : ['(/dev/net/tun)']),
  ...(canMakeNamespaces() ? [] : ['(network namespaces)']),
  ...(hasKernel() ? [] : ['linux-image-amd64']),
  ...NEEDS.filter(([, files]) => !files.some((file) => existsSync(file))).map(([name]) => name),
];
