/** What a rack needs on this machine, and what of it is missing. */
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

const hasKernel = (): boolean =>
  existsSync('/boot') &&
  readdirSync('/boot').some((name) => /^vmlinuz-.*-amd64$/.test(name) && !name.includes('cloud'));

/** Debian packages to install; empty = a rack can be built here. */
export const missingForRack = (): readonly string[] => [
  ...(process.getuid?.() === 0 ? [] : ['(root)']),
  ...(hasKernel() ? [] : ['linux-image-amd64']),
  ...NEEDS.filter(([, files]) => !files.some((file) => existsSync(file))).map(([name]) => name),
];
