import type { CommandSpec, NounSpec } from '../spec.ts';

export const PLAN_NOUNS: readonly NounSpec[] = [
  { name: 'deployment', summary: 'scopes of work: a tree under the system deployment' },
  { name: 'snapshot', summary: 'revisions of a deployment: propose, edit, compare, go back' },
  { name: 'plan', summary: '' },
  { name: 'commit', summary: '' },
  { name: 'import', summary: '' },
  { name: 'export', summary: '' },
];

const DEPLOYMENT = { name: 'deployment', summary: 'name or id', completes: 'deployment' } as const;
const ROLE = { name: 'role', summary: 'name or id', completes: 'role' } as const;
const NODES = { name: 'nodes', summary: 'names or ids', completes: 'node', many: true } as const;

export const PLAN_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'deployment list',
    summary: 'list deployments with their counts',
    options: [{ flags: '-q, --search <text>', summary: 'part of the name' }],
    load: () => import('../commands/deployment/list.ts'),
  },
  {
    path: 'deployment tree',
    summary: 'the tree of deployments',
    load: () => import('../commands/deployment/tree.ts'),
  },
  {
    path: 'deployment show',
    summary: 'show one deployment: roles, noderoles by state, what holds it back',
    args: [DEPLOYMENT],
    load: () => import('../commands/deployment/show.ts'),
  },
  {
    path: 'deployment create',
    summary: 'make a deployment',
    args: [{ name: 'name', summary: 'name' }],
    options: [
      {
        flags: '--parent <deployment>',
        summary: 'under this one; system if not given',
        completes: 'deployment',
      },
      { flags: '--description <text>', summary: 'a note' },
    ],
    load: () => import('../commands/deployment/create.ts'),
  },
  {
    path: 'deployment set',
    summary: 'rename, describe or move a deployment',
    args: [DEPLOYMENT],
    options: [
      { flags: '--name <name>', summary: 'a new name' },
      { flags: '--description <text>', summary: 'a note' },
      {
        flags: '--parent <deployment>',
        summary: 'move it under this one',
        completes: 'deployment',
      },
    ],
    load: () => import('../commands/deployment/set.ts'),
  },
  {
    path: 'deployment delete',
    summary: 'delete a deployment that nothing needs',
    args: [DEPLOYMENT],
    load: () => import('../commands/deployment/delete.ts'),
  },
  {
    path: 'deployment pause',
    summary: 'start no further runs in it',
    args: [DEPLOYMENT],
    load: () => import('../commands/deployment/pause.ts'),
  },
  {
    path: 'deployment resume',
    summary: 'go on',
    args: [DEPLOYMENT],
    load: () => import('../commands/deployment/resume.ts'),
  },
  {
    path: 'snapshot propose',
    summary: 'open a proposal; it holds what the committed snapshot holds',
    args: [DEPLOYMENT],
    options: [{ flags: '-m, --message <text>', summary: 'what it is for' }],
    load: () => import('../commands/snapshot/propose.ts'),
  },
  {
    path: 'snapshot show',
    summary: 'what a revision holds; the proposal if there is one',
    args: [DEPLOYMENT],
    options: [{ flags: '--revision <number>', summary: 'this revision' }],
    load: () => import('../commands/snapshot/show.ts'),
  },
  {
    path: 'snapshot history',
    summary: 'the time line of a deployment',
    args: [DEPLOYMENT],
    load: () => import('../commands/snapshot/history.ts'),
  },
  {
    path: 'snapshot diff',
    summary: 'what differs between two revisions; by default committed and proposed',
    args: [
      DEPLOYMENT,
      { name: 'from', summary: 'revision', optional: true },
      { name: 'to', summary: 'revision', optional: true },
    ],
    load: () => import('../commands/snapshot/diff.ts'),
  },
  {
    path: 'snapshot bind',
    summary: 'bind a role to nodes in the proposal; opens one if there is none',
    args: [DEPLOYMENT, ROLE, NODES],
    options: [{ flags: '--data <json>', summary: "operator's data of the bindings" }],
    examples: ['hostwright snapshot bind demo demo-web sim-r01-u01 sim-r01-u02'],
    load: () => import('../commands/snapshot/bind.ts'),
  },
  {
    path: 'snapshot unbind',
    summary: 'take a role off nodes in the proposal; opens one if there is none',
    args: [DEPLOYMENT, ROLE, NODES],
    load: () => import('../commands/snapshot/unbind.ts'),
  },
  {
    path: 'snapshot data',
    summary:
      "set the proposal's data: of the deployment, or with --role of a role for all its nodes; the system deployment's at once",
    args: [DEPLOYMENT, { name: 'json', summary: 'a JSON object' }],
    options: [{ flags: '--role <role>', summary: 'for this role', completes: 'role' }],
    load: () => import('../commands/snapshot/data.ts'),
  },
  {
    path: 'snapshot discard',
    summary: 'throw the proposal away',
    args: [DEPLOYMENT],
    load: () => import('../commands/snapshot/discard.ts'),
  },
  {
    path: 'snapshot recall',
    summary: 'stop the commit that is being carried out; its content becomes a proposal again',
    args: [DEPLOYMENT],
    options: [{ flags: '--cancel', summary: 'cancel what runs instead of letting it finish' }],
    load: () => import('../commands/snapshot/recall.ts'),
  },
  {
    path: 'snapshot rollback',
    summary: 'open a proposal with the content of an older revision',
    args: [DEPLOYMENT, { name: 'revision', summary: 'as `snapshot history` numbers them' }],
    load: () => import('../commands/snapshot/rollback.ts'),
  },
  {
    path: 'plan',
    summary: 'what a commit would do, with the hash to commit by',
    args: [DEPLOYMENT],
    load: () => import('../commands/plan.ts'),
  },
  {
    path: 'commit',
    summary: 'commit the proposal of a deployment',
    args: [DEPLOYMENT],
    options: [
      { flags: '--plan <hash>', summary: 'only if the plan still has this hash' },
      { flags: '-m, --message <text>', summary: 'what it is for' },
      { flags: '--rolling <number>', summary: 'so many nodes at once' },
      { flags: '--canary <number>', summary: 'so many nodes first; the rest when they are done' },
      { flags: '--stop-after <failures>', summary: 'halt after so many failures' },
      {
        flags: '--consent <role@node[:disk,disk]>',
        summary: 'leave to do what is destructive; where the plan knows the disks, each is named',
        many: true,
      },
      { flags: '-w, --watch', summary: 'watch it being carried out' },
    ],
    examples: [
      'hostwright commit demo --watch',
      'hostwright commit demo --plan 3f9c... --canary 1',
    ],
    load: () => import('../commands/commit.ts'),
  },
  {
    path: 'import',
    summary: 'import barclamps (folders), or propose what a design file of `export` says',
    args: [
      {
        name: 'paths',
        summary: 'barclamp folders or YAML files, in this order',
        many: true,
        completes: 'file',
      },
    ],
    options: [
      { flags: '--commit', summary: 'commit the proposals at once' },
      { flags: '--keep', summary: 'leave bindings that the file does not name' },
    ],
    load: () => import('../commands/import.ts'),
  },
  {
    path: 'export',
    summary: 'deployments, bindings and data as YAML, to keep in git and import again',
    args: [
      {
        name: 'deployments',
        summary: 'these and what is below them; all if none',
        many: true,
        optional: true,
        completes: 'deployment',
      },
    ],
    options: [{ flags: '-o, --output <file>', summary: 'write there', completes: 'file' }],
    load: () => import('../commands/export.ts'),
  },
];
