/** What is done with a node as a machine. */
import type { CommandSpec } from '../spec.ts';
import { LIMIT, NODE } from './arguments.ts';

export const NODE_METAL_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'node boots',
    summary: 'boots of a node, the newest first',
    args: [NODE],
    options: [{ ...LIMIT, default: '50' }],
    load: () => import('../commands/node/boots.ts'),
  },
  {
    path: 'node networks',
    summary: "a node's addresses, and which NICs its networks are on",
    args: [NODE],
    load: () => import('../commands/node/networks.ts'),
  },
  {
    path: 'node hammers',
    summary: 'its BMC and whatever else can act on it, with what each can do',
    args: [NODE],
    load: () => import('../commands/node/hammers.ts'),
  },
  {
    path: 'node hammer',
    summary: 'give a node a hammer, change it or take it away; one of a kind per node',
    args: [NODE, { name: 'kind', summary: 'ipmi, redfish or ssh' }],
    options: [
      {
        flags: '--endpoint <address>',
        summary: 'host, host:port, or the URL of a Redfish service',
      },
      { flags: '--user <name>', summary: 'user name there' },
      {
        flags: '--secret <name>',
        summary:
          'secret with the password or key, as `hostwright secret set` stored it; "" for none',
      },
      { flags: '--priority <number>', summary: 'the highest that can do an action does it' },
      { flags: '--config <json>', summary: 'cipherSuite (ipmi), certificateSha256 (redfish) ...' },
      { flags: '--remove', summary: 'take it away instead' },
    ],
    examples: [
      'hostwright secret set bmc/web-1 < password.txt',
      'hostwright node hammer web-1 ipmi --endpoint 10.0.1.21 --user admin --secret bmc/web-1',
    ],
    load: () => import('../commands/node/hammer.ts'),
  },
  {
    path: 'node rescue',
    summary: 'boot the rescue system, once; no disk is written',
    args: [NODE],
    load: () => import('../commands/node/rescue.ts'),
  },
  {
    path: 'node reinstall',
    summary: 'install a node again; without --consent it says what would be erased',
    args: [NODE],
    options: [
      {
        flags: '--consent <disk>',
        summary: 'name or serial of a disk that may be lost',
        many: true,
      },
    ],
    load: () => import('../commands/node/reinstall.ts'),
  },
  {
    path: 'node release',
    summary: 'give a machine back: roles and addresses go, disks are erased if asked',
    args: [NODE],
    options: [
      {
        flags: '--erase <disk>',
        summary: 'erase this disk (name or serial); name all',
        many: true,
      },
      { flags: '--full', summary: 'every byte, not only both ends of each disk and partition' },
    ],
    load: () => import('../commands/node/release.ts'),
  },
];
