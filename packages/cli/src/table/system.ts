import type { CommandSpec, NounSpec, OptionSpec } from '../spec.ts';

export const SYSTEM_NOUNS: readonly NounSpec[] = [
  { name: 'up', summary: '' },
  { name: 'server', summary: '' },
  { name: 'worker', summary: '' },
  { name: 'simulate', summary: '' },
  { name: 'lab', summary: 'a private virtual rack of real (QEMU) machines' },
  { name: 'backup', summary: '' },
  { name: 'restore', summary: '' },
  { name: 'completion', summary: '' },
  { name: 'complete', summary: '' },
];

const LISTEN: readonly OptionSpec[] = [
  { flags: '--listen <address>', summary: 'address to listen on', default: '127.0.0.1' },
  { flags: '--port <number>', summary: 'port to listen on', default: '4680' },
  {
    flags: '--public-url <url>',
    summary: 'how machines and browsers reach it, if not by that address',
  },
  {
    flags: '--tls-cert <file>',
    summary: 'certificate (PEM) instead of one of its own CA',
    completes: 'file',
  },
  { flags: '--tls-key <file>', summary: 'its key (PEM)', completes: 'file' },
];

export const SYSTEM_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'up',
    summary: 'start everything on this machine: PostgreSQL, server, worker, a simulated rack',
    details:
      'Data lives in one folder. DATABASE_URL uses an existing PostgreSQL instead of the embedded one. Ctrl-C stops everything.',
    local: true,
    options: [
      ...LISTEN,
      { flags: '--simulate <machines>', summary: 'size of the simulated rack', default: '12' },
      { flags: '--no-simulator', summary: 'real machines only' },
      { flags: '--no-console-build', summary: 'do not build the web console' },
      { flags: '--exit-when-ready', summary: 'stop again as soon as everything runs (for tests)' },
    ],
    load: () => import('../commands/up.ts'),
  },
  {
    path: 'server',
    summary: 'run the server alone (API, console, agents); any number of them share one PostgreSQL',
    details:
      'DATABASE_URL names the database; HOSTWRIGHT_MASTER_KEY or the data folder holds the key.',
    local: true,
    options: LISTEN,
    load: () => import('../commands/server.ts'),
  },
  {
    path: 'worker',
    summary: 'run a worker alone; any number of them share one PostgreSQL',
    local: true,
    options: [
      {
        flags: '--name <name>',
        summary: 'name shown in the console; host name and process id if not given',
      },
      {
        flags: '--concurrency <number>',
        summary: 'runs at once, fixed; tuned by itself if not given',
      },
    ],
    load: () => import('../commands/worker.ts'),
  },
  {
    path: 'lab up',
    summary: 'a private virtual rack: QEMU machines with BMCs, discovered by network boot',
    details:
      'Needs root, qemu-system-x86, ipxe, dnsmasq, openipmi and busybox-static. Everything is in a network namespace of its own and gone after Ctrl-C.',
    local: true,
    options: [
      { flags: '--machines <number>', summary: 'how many machines', default: '3' },
      { flags: '--port <number>', summary: 'port of the console on 127.0.0.1', default: '4690' },
      { flags: '--memory <megabytes>', summary: 'memory of each machine', default: '768' },
    ],
    load: () => import('../commands/lab/up.ts'),
  },
  {
    path: 'simulate',
    summary: "run simulated machines that speak the agent's protocol",
    options: [
      { flags: '--nodes <number>', summary: 'how many', default: '12' },
      {
        flags: '--first <number>',
        summary: 'number of the first machine; after the rack of `up` if not given',
      },
      { flags: '--fail <percent>', summary: 'share of tasks that fail, such as 2%', default: '0%' },
      {
        flags: '--seconds-per-task <seconds>',
        summary: 'how long a task takes on average',
        default: '1',
      },
      {
        flags: '--reboots <percent>',
        summary: 'share of machines that reboot by themselves in a minute',
        default: '0%',
      },
      {
        flags: '--deaths <percent>',
        summary: 'share of machines that die in a minute and return later',
        default: '0%',
      },
      { flags: '--reboot-seconds <seconds>', summary: 'how long a reboot takes', default: '5' },
      {
        flags: '--dead-seconds <seconds>',
        summary: 'how long a dead machine stays away',
        default: '90',
      },
      { flags: '-l, --label <key=value>', summary: 'label them so', many: true },
      { flags: '--prefix <word>', summary: 'host names begin with it', default: 'sim' },
      { flags: '--seed <number>', summary: 'same seed, same machines', default: '1' },
      {
        flags: '--connect-rate <per second>',
        summary: 'new connections per second',
        default: '200',
      },
      { flags: '--join-token <token>', summary: 'instead of one made for this run' },
      {
        flags: '--boots-file <file>',
        summary: 'where to keep how often each has booted',
        completes: 'file',
      },
      { flags: '--for <seconds>', summary: 'stop after so long' },
    ],
    examples: ['hostwright simulate --nodes 10000 --fail 2% --seconds-per-task 0.2'],
    load: () => import('../commands/simulate.ts'),
  },
  {
    path: 'backup',
    summary: 'write everything into one file, from one instant, while the system runs',
    args: [{ name: 'file', summary: 'to write; must not exist', completes: 'file' }],
    local: true,
    options: [
      {
        flags: '--without-keys',
        summary: 'leave out the master key and the CA; secrets are then lost without them',
      },
    ],
    load: () => import('../commands/backup.ts'),
  },
  {
    path: 'restore',
    summary: 'bring a backup back into an empty system; never overwrites',
    args: [{ name: 'file', summary: 'written by backup', completes: 'file' }],
    local: true,
    load: () => import('../commands/restore.ts'),
  },
  {
    path: 'completion',
    summary: 'print the completion script of a shell',
    args: [{ name: 'shell', summary: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] }],
    local: true,
    examples: ['hostwright completion bash > /etc/bash_completion.d/hostwright'],
    load: () => import('../commands/completion.ts'),
  },
  {
    path: 'complete',
    summary: 'what the completion scripts ask: candidates for the last word',
    hidden: true,
    args: [{ name: 'words', summary: 'the command line so far', many: true, optional: true }],
    load: () => import('../commands/complete.ts'),
  },
];
