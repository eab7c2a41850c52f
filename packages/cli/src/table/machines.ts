import type { CommandSpec, NounSpec, OptionSpec } from '../spec.ts';

const LIMIT: OptionSpec = {
  flags: '--limit <number>',
  summary: 'most lines to show',
  default: '500',
};

export const MACHINE_NOUNS: readonly NounSpec[] = [
  { name: 'node', summary: 'machines: list, show, create, set, label, delete, adopt, power' },
  { name: 'group', summary: 'groups of nodes' },
  { name: 'role', summary: 'roles that barclamps bring' },
  { name: 'barclamp', summary: 'packages of roles' },
  { name: 'jig', summary: 'what carries roles out' },
];

const NODE = { name: 'node', summary: 'name or id', completes: 'node' } as const;
const NODES = { ...NODE, name: 'nodes', summary: 'names or ids', many: true } as const;
const GROUP = { name: 'group', summary: 'name or id' } as const;

export const MACHINE_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'node list',
    summary: 'list nodes',
    options: [
      { flags: '-q, --search <text>', summary: 'part of name, description, serial or MAC' },
      {
        flags: '-d, --deployment <name>',
        summary: 'of this deployment',
        many: true,
        completes: 'deployment',
      },
      {
        flags: '-s, --state <state>',
        summary: 'undefined, error, transition, todo, blocked, proposed, active',
        many: true,
      },
      {
        flags: '-l, --label <key[=value]>',
        summary: 'with this label; several: all must hold',
        many: true,
      },
      {
        flags: '-r, --role <name>',
        summary: 'with a noderole of this role',
        many: true,
        completes: 'role',
      },
      { flags: '-g, --group <name>', summary: 'of this group', many: true },
      { flags: '--alive', summary: 'only those that answer' },
      { flags: '--dead', summary: 'only those that do not' },
      {
        flags: '--sort <field>',
        summary: 'name, id, createdAt, aliveChangedAt, deployment; - in front: descending',
      },
      LIMIT,
    ],
    examples: ['hostwright node list --state error', 'hostwright node list -l rack=r01 --json'],
    load: () => import('../commands/node/list.ts'),
  },
  {
    path: 'node show',
    summary: 'show one node with its facts, noderoles and what it waits for',
    args: [NODE],
    load: () => import('../commands/node/show.ts'),
  },
  {
    path: 'node create',
    summary: 'make a node that will join or boot later',
    args: [{ name: 'name', summary: 'host name, lower case' }],
    options: [
      { flags: '--description <text>', summary: 'a note' },
      { flags: '-d, --deployment <name>', summary: 'where it belongs', completes: 'deployment' },
      { flags: '-l, --label <key=value>', summary: 'label', many: true },
      { flags: '--mac <address>', summary: 'MAC address it will boot from', many: true },
      { flags: '--serial <text>', summary: 'serial number' },
      { flags: '--hint <json>', summary: "operator's wishes, a JSON object" },
      { flags: '--unavailable', summary: 'not to be managed yet' },
    ],
    load: () => import('../commands/node/create.ts'),
  },
  {
    path: 'node set',
    summary: 'change a node',
    args: [NODE],
    options: [
      { flags: '--name <name>', summary: 'a new name' },
      { flags: '--description <text>', summary: 'a note' },
      { flags: '-d, --deployment <name>', summary: 'move it there', completes: 'deployment' },
      { flags: '--bootenv <name>', summary: 'what it should boot next' },
      { flags: '--hint <json>', summary: 'wishes to merge in; null removes' },
      { flags: '--available', summary: 'let Hostwright manage it' },
      { flags: '--unavailable', summary: 'keep Hostwright off it' },
    ],
    load: () => import('../commands/node/set.ts'),
  },
  {
    path: 'node label',
    summary: 'set labels (key=value) or take them off (key-)',
    args: [NODE, { name: 'labels', summary: 'key=value sets, key- takes off', many: true }],
    examples: ['hostwright node label web-1 rack=r01 env-'],
    load: () => import('../commands/node/label.ts'),
  },
  {
    path: 'node offers',
    summary: 'list machines of deleted nodes that came again and wait to be adopted',
    load: () => import('../commands/node/offers.ts'),
  },
  {
    path: 'node adopt',
    summary: 'take a deleted node back; its machine may join again',
    details: 'It keeps its id and history, and gets its name back if nobody has it.',
    args: [{ name: 'node', summary: 'name or id, as `node offers` shows it' }],
    load: () => import('../commands/node/adopt.ts'),
  },
  {
    path: 'node delete',
    summary: 'delete nodes; refused while roles are bound to them',
    args: [NODES],
    options: [{ flags: '--abandon', summary: 'the machine is gone: no teardown' }],
    load: () => import('../commands/node/delete.ts'),
  },
  {
    path: 'node attribs',
    summary: "a node's attributes and where each value comes from",
    args: [NODE],
    load: () => import('../commands/node/attribs.ts'),
  },
  {
    path: 'node actions',
    summary: 'power and boot actions that this node really has',
    args: [NODE],
    load: () => import('../commands/node/actions.ts'),
  },
  {
    path: 'node act',
    summary: 'carry out one of its actions',
    args: [NODE, { name: 'action', summary: 'as `node actions` lists it' }],
    options: [{ flags: '--hammer <kind>', summary: 'by this hammer' }],
    load: () => import('../commands/node/act.ts'),
  },
  {
    path: 'group list',
    summary: 'list groups',
    load: () => import('../commands/group/list.ts'),
  },
  {
    path: 'group create',
    summary: 'make a group',
    args: [{ name: 'name', summary: 'name of the group' }],
    options: [
      { flags: '--category <word>', summary: 'rack, row, tag ...' },
      { flags: '--description <text>', summary: 'a note' },
    ],
    load: () => import('../commands/group/create.ts'),
  },
  {
    path: 'group delete',
    summary: 'delete a group; its nodes stay',
    args: [GROUP],
    load: () => import('../commands/group/delete.ts'),
  },
  {
    path: 'group add',
    summary: 'put nodes into a group',
    args: [GROUP, NODES],
    load: () => import('../commands/group/add.ts'),
  },
  {
    path: 'group remove',
    summary: 'take nodes out of a group',
    args: [GROUP, NODES],
    load: () => import('../commands/group/remove.ts'),
  },
  {
    path: 'role list',
    summary: 'list roles',
    options: [
      { flags: '-q, --search <text>', summary: 'part of the name' },
      {
        flags: '-b, --barclamp <name>',
        summary: 'of this barclamp',
        many: true,
        completes: 'barclamp',
      },
      { flags: '--flag <flag>', summary: 'milestone, discovery, destructive ...', many: true },
      { flags: '--all', summary: 'library, abstract and dropped roles too' },
    ],
    load: () => import('../commands/role/list.ts'),
  },
  {
    path: 'role show',
    summary: 'show one role: flags, what it requires, wants and takes',
    args: [{ name: 'role', summary: 'name or id', completes: 'role' }],
    load: () => import('../commands/role/show.ts'),
  },
  {
    path: 'barclamp list',
    summary: 'list imported barclamps',
    load: () => import('../commands/barclamp/list.ts'),
  },
  {
    path: 'barclamp show',
    summary: 'show one barclamp',
    args: [{ name: 'barclamp', summary: 'name or id', completes: 'barclamp' }],
    load: () => import('../commands/barclamp/show.ts'),
  },
  {
    path: 'jig list',
    summary: 'list jigs and whether they are on',
    load: () => import('../commands/jig/list.ts'),
  },
  {
    path: 'jig on',
    summary: 'switch a jig on; it then learns of every node',
    args: [{ name: 'jig', summary: 'name' }],
    load: () => import('../commands/jig/on.ts'),
  },
  {
    path: 'jig off',
    summary: 'switch a jig off; its roles wait',
    args: [{ name: 'jig', summary: 'name' }],
    load: () => import('../commands/jig/off.ts'),
  },
];
