import type { CommandSpec } from '../spec.ts';
import { LIMIT, NODE } from './arguments.ts';

export const BOOT_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'boot list',
    summary: 'list boots, the newest first',
    options: [
      { flags: '--mac <address>', summary: 'of the machine with this MAC' },
      { flags: '--strangers', summary: 'only of machines that are no node' },
      { ...LIMIT, default: '50' },
    ],
    load: () => import('../commands/boot/list.ts'),
  },
  {
    path: 'boot show',
    summary: 'the timeline of one boot, second by second',
    args: [{ name: 'boot', summary: 'id, as `boot list` and `node boots` show it' }],
    load: () => import('../commands/boot/show.ts'),
  },
  {
    path: 'boot once',
    summary: 'decide what the next boot of a node is, once; never an installer',
    args: [NODE, { name: 'bootenv', summary: 'discovery, rescue, memtest or local' }],
    options: [{ flags: '--seconds <number>', summary: 'how long it waits', default: '3600' }],
    load: () => import('../commands/boot/once.ts'),
  },
  {
    path: 'boot intents',
    summary: 'list decisions about boots',
    options: [
      { flags: '--node <name>', summary: 'of this node', completes: 'node' },
      { flags: '--open', summary: 'only those that wait for their boot' },
      { ...LIMIT, default: '50' },
    ],
    load: () => import('../commands/boot/intents.ts'),
  },
  {
    path: 'boot cancel',
    summary: 'void a decision that was not used',
    args: [{ name: 'intent', summary: 'id' }],
    load: () => import('../commands/boot/cancel.ts'),
  },
  {
    path: 'boot environments',
    summary: 'what machines can be told to boot',
    load: () => import('../commands/boot/environments.ts'),
  },
  {
    path: 'boot files',
    summary: 'kernels, initrds and images that are served, with checksums',
    load: () => import('../commands/boot/files.ts'),
  },
  {
    path: 'boot add',
    summary:
      'take in a kernel, an initrd or an image to be served: whole and checked, or not at all',
    args: [
      {
        name: 'path',
        summary: 'where it is served, such as images/default.tar.gz or debian-13/linux',
      },
      { name: 'source', summary: 'a file here, or an address', completes: 'file' },
    ],
    options: [{ flags: '--sha256 <sum>', summary: 'what it must be' }],
    examples: [
      'hostwright boot add images/default.tar.gz ./web.tar.gz',
      'hostwright boot add debian-13/linux https://deb.debian.org/debian/dists/trixie/main/installer-amd64/current/images/netboot/debian-installer/amd64/linux',
    ],
    load: () => import('../commands/boot/add.ts'),
  },
  {
    path: 'boot remove',
    summary: 'remove a file that is served; refused while an installation reads it',
    args: [{ name: 'path', summary: 'as `hostwright boot files` shows it' }],
    load: () => import('../commands/boot/remove.ts'),
  },
  {
    path: 'boot servers',
    summary: 'DHCP and DNS servers that are fed, and how far they have come',
    load: () => import('../commands/boot/servers.ts'),
  },
];

export const OS_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'os list',
    summary: 'list OS templates',
    load: () => import('../commands/os/list.ts'),
  },
  {
    path: 'os show',
    summary: 'show one OS template',
    args: [{ name: 'os', summary: 'name' }],
    load: () => import('../commands/os/show.ts'),
  },
  {
    path: 'os preview',
    summary: 'the files of an OS template as a node would get them',
    args: [{ name: 'os', summary: 'name' }, NODE],
    options: [{ flags: '--file <name>', summary: 'only this one' }],
    load: () => import('../commands/os/preview.ts'),
  },
];
