import type { CommandSpec, NounSpec, OptionSpec } from '../spec.ts';

export const METAL_NOUNS: readonly NounSpec[] = [
  { name: 'network', summary: 'networks, ranges, addresses, names' },
  { name: 'boot', summary: 'what machines boot, and what happened when they did' },
  { name: 'os', summary: 'operating systems that can be installed' },
];

const NODE = { name: 'node', summary: 'name or id', completes: 'node' } as const;
const NETWORK = { name: 'network', summary: 'name or id' } as const;
const LIMIT: OptionSpec = { flags: '--limit <number>', summary: 'most lines to show' };
const RANGE: OptionSpec = { flags: '--range <name>', summary: 'which range', default: 'host' };

const FIELDS: readonly OptionSpec[] = [
  { flags: '--description <text>', summary: 'a note' },
  { flags: '--category <word>', summary: 'admin, bmc, general or unmanaged' },
  { flags: '--group <word>', summary: 'networks of one group give a node the same host part' },
  { flags: '--domain <name>', summary: 'put behind the names of its addresses' },
  { flags: '--vlan <number>', summary: '1 to 4094, or none' },
  { flags: '--mtu <number>', summary: '576 to 65535, or none' },
  { flags: '--conduit <text>', summary: 'which NICs: 1g0, ?10g0,?10g1, bmc' },
  { flags: '--bond <mode>', summary: 'how several NICs work as one: 802.3ad ..., or none' },
  { flags: '--bridge', summary: 'put a bridge on it' },
  { flags: '--record-only', summary: 'addresses are recorded, machines not configured' },
  { flags: '--quarantine <seconds>', summary: 'how long nobody gets a released address' },
];

const NETWORKS: readonly CommandSpec[] = [
  {
    path: 'network list',
    summary: 'list networks and how full they are',
    load: () => import('../commands/network/list.ts'),
  },
  {
    path: 'network show',
    summary: 'show one network with its ranges',
    args: [NETWORK],
    load: () => import('../commands/network/show.ts'),
  },
  {
    path: 'network create',
    summary: 'make a network',
    args: [{ name: 'name', summary: 'lower case letters, digits and dashes' }],
    options: [
      ...FIELDS,
      {
        flags: '--range <name:first-last/length>',
        summary: 'a range for nodes; name=dhcp: for strangers, name=reserved: for nobody',
        many: true,
      },
      { flags: '--router <address>', summary: 'default router', many: true },
    ],
    examples: [
      'hostwright network create admin --category admin --domain lab.test --range host:10.0.0.10-10.0.0.99/24 --range pool=dhcp:10.0.0.100-10.0.0.200/24 --router 10.0.0.1',
    ],
    load: () => import('../commands/network/create.ts'),
  },
  {
    path: 'network set',
    summary: 'change a network',
    args: [NETWORK],
    options: [
      { flags: '--name <name>', summary: 'a new name' },
      ...FIELDS,
      { flags: '--without-bridge', summary: 'take the bridge off it' },
    ],
    load: () => import('../commands/network/set.ts'),
  },
  {
    path: 'network delete',
    summary: 'delete a network; refused while addresses of it are in use',
    args: [NETWORK],
    load: () => import('../commands/network/delete.ts'),
  },
  {
    path: 'network add-range',
    summary: 'add a range',
    args: [NETWORK, { name: 'range', summary: 'name:first-last/length' }],
    examples: ['hostwright network add-range admin six:fd00::10-fd00::ffff/64'],
    load: () => import('../commands/network/add-range.ts'),
  },
  {
    path: 'network remove-range',
    summary: 'take a range away; refused while addresses of it are in use',
    args: [NETWORK, { name: 'range', summary: 'name or id' }],
    load: () => import('../commands/network/remove-range.ts'),
  },
  {
    path: 'network router',
    summary: 'set the router of a network, one per family',
    args: [NETWORK, { name: 'address', summary: 'its address' }],
    options: [
      { flags: '--pref <number>', summary: 'the lowest on a host gives the default route' },
      { flags: '--remove', summary: 'take it away instead' },
    ],
    load: () => import('../commands/network/router.ts'),
  },
  {
    path: 'network addresses',
    summary: 'list addresses that are held, reserved or in quarantine',
    args: [{ ...NETWORK, optional: true }],
    options: [
      { flags: '--node <name>', summary: 'of this node', completes: 'node' },
      { flags: '-s, --state <state>', summary: 'held, reserved or quarantined', many: true },
      { flags: '-q, --search <text>', summary: 'beginning of the address, part of node or note' },
      { ...LIMIT, default: '500' },
    ],
    load: () => import('../commands/network/addresses.ts'),
  },
  {
    path: 'network allocate',
    summary: 'give a node an address',
    args: [NETWORK, NODE],
    options: [RANGE, { flags: '--address <address>', summary: 'exactly this one, or a refusal' }],
    load: () => import('../commands/network/allocate.ts'),
  },
  {
    path: 'network reserve',
    summary: 'keep an address for something that is no node',
    args: [
      NETWORK,
      { name: 'address', summary: 'which one' },
      { name: 'note', summary: 'whom it is for' },
    ],
    options: [RANGE],
    load: () => import('../commands/network/reserve.ts'),
  },
  {
    path: 'network release',
    summary: 'give an address back; nobody gets it before its quarantine is over',
    args: [{ name: 'address', summary: 'which one' }],
    options: [
      { flags: '--quarantine <seconds>', summary: 'instead of what the network says' },
      { flags: '--now', summary: 'free at once, quarantined ones too' },
    ],
    load: () => import('../commands/network/release.ts'),
  },
  {
    path: 'network filters',
    summary: 'which DNS names addresses get',
    load: () => import('../commands/network/filters.ts'),
  },
  {
    path: 'network filter',
    summary: 'make, change or remove a name filter',
    args: [{ name: 'filter', summary: 'its name' }],
    options: [
      { flags: '--template <text>', summary: 'like {{node.name}} or d{{node.mac}}' },
      { flags: '--priority <number>', summary: 'lowest first; no two alike' },
      {
        flags: '--match <key=value>',
        summary: 'network.category=admin, node.role=web, node.label.rack=r1 ...',
        many: true,
      },
      { flags: '--remove', summary: 'delete it instead' },
    ],
    load: () => import('../commands/network/filter.ts'),
  },
];

const BOOTS: readonly CommandSpec[] = [
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

const SYSTEMS: readonly CommandSpec[] = [
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

const OF_A_NODE: readonly CommandSpec[] = [
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

export const METAL_COMMANDS: readonly CommandSpec[] = [
  ...OF_A_NODE,
  ...NETWORKS,
  ...BOOTS,
  ...SYSTEMS,
];
