import type { CommandSpec, NounSpec } from '../spec.ts';

export const WORK_NOUNS: readonly NounSpec[] = [
  { name: 'status', summary: '' },
  { name: 'watch', summary: '' },
  { name: 'why', summary: '' },
  { name: 'runs', summary: '' },
  { name: 'logs', summary: '' },
  { name: 'retry', summary: '' },
  { name: 'cancel', summary: '' },
  { name: 'anneal', summary: '' },
  { name: 'events', summary: '' },
];

export const WORK_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'status',
    summary: 'the whole system at a glance',
    load: () => import('../commands/status.ts'),
  },
  {
    path: 'watch',
    summary: 'live progress of a commit, until it is at rest',
    args: [{ name: 'deployment', summary: 'name or id', completes: 'deployment' }],
    options: [{ flags: '--timeout <seconds>', summary: 'give up after so long' }],
    load: () => import('../commands/watch.ts'),
  },
  {
    path: 'why',
    summary: 'the one cause that keeps a node, noderole or deployment from being done',
    args: [
      {
        name: 'what',
        summary: 'node, deployment, noderole id, node/role or role@node',
        completes: 'node',
      },
    ],
    examples: [
      'hostwright why sim-r01-u03',
      'hostwright why sim-r01-u03/demo-web',
      'hostwright why 4711',
    ],
    load: () => import('../commands/why.ts'),
  },
  {
    path: 'runs',
    summary: 'list runs, newest first',
    options: [
      { flags: '-n, --node <name>', summary: 'on this node', many: true, completes: 'node' },
      { flags: '-r, --role <name>', summary: 'of this role', many: true, completes: 'role' },
      {
        flags: '-d, --deployment <name>',
        summary: 'of this deployment',
        many: true,
        completes: 'deployment',
      },
      {
        flags: '-s, --status <status>',
        summary: 'queued, running, waiting, cancelling, succeeded, failed, cancelled, fenced',
        many: true,
      },
      { flags: '--live', summary: 'only those that hold a lane now' },
      { flags: '--limit <number>', summary: 'most lines to show', default: '50' },
    ],
    load: () => import('../commands/runs.ts'),
  },
  {
    path: 'logs',
    summary: 'the log of a run, or of the last run of a noderole',
    args: [{ name: 'run', summary: 'run id, node/role or role@node' }],
    options: [
      { flags: '-f, --follow', summary: 'go on until the run ends' },
      { flags: '--tail <lines>', summary: 'only the last lines' },
      { flags: '-t, --timestamps', summary: 'with the time of each line' },
    ],
    load: () => import('../commands/logs.ts'),
  },
  {
    path: 'retry',
    summary: 'run noderoles in error again',
    args: [
      {
        name: 'noderoles',
        summary: 'noderole ids, node/role or role@node',
        many: true,
        optional: true,
      },
    ],
    options: [
      { flags: '-r, --role <name>', summary: 'all of this role that failed', completes: 'role' },
      {
        flags: '-d, --deployment <name>',
        summary: 'all of this deployment that failed',
        completes: 'deployment',
      },
      { flags: '-n, --node <name>', summary: 'all of this node that failed', completes: 'node' },
      { flags: '--all', summary: 'everything that failed' },
    ],
    load: () => import('../commands/retry.ts'),
  },
  {
    path: 'cancel',
    summary: 'cancel a run',
    args: [{ name: 'runs', summary: 'run ids, node/role or role@node', many: true }],
    load: () => import('../commands/cancel.ts'),
  },
  {
    path: 'anneal',
    summary: 'show or switch the annealer; --once makes one pass in manual mode',
    options: [
      { flags: '--once', summary: 'one pass, in manual mode' },
      {
        flags: '--mode <mode>',
        summary: 'auto, manual (only on demand) or drain (start nothing more)',
        choices: ['auto', 'manual', 'drain'],
      },
    ],
    load: () => import('../commands/anneal.ts'),
  },
  {
    path: 'events',
    summary: 'what happened, oldest first',
    options: [
      { flags: '-f, --follow', summary: 'go on as it happens' },
      { flags: '-k, --kind <kind>', summary: 'noderole.state, node.* ...', many: true },
      { flags: '-n, --node <name>', summary: 'about this node', completes: 'node' },
      {
        flags: '-d, --deployment <name>',
        summary: 'about this deployment',
        completes: 'deployment',
      },
      { flags: '--limit <number>', summary: 'so many of the last', default: '50' },
    ],
    load: () => import('../commands/events.ts'),
  },
];
