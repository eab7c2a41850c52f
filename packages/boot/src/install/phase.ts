/**
 * The phases of an installation, each with a deadline of its own. A phase ends by evidence, never by
 * time; time only turns a phase that has ended nowhere into an error that names it.
 */
export const PHASES = ['acks', 'power', 'boot', 'installing', 'restart', 'done', 'failed'] as const;
export type Phase = (typeof PHASES)[number];

export const PHASE_SECONDS = {
  acks: 120,
  power: 180,
  boot: 900,
  installing: 5400,
  restart: 1200,
} as const satisfies Partial<Record<Phase, number>>;
/** Every byte of a large disk takes hours. */
export const ERASE_SECONDS = 82_800;
export type LivePhase = keyof typeof PHASE_SECONDS;

/** What is awaited, for `why` and for the error when it does not come. */
export const PHASE_WAITS_FOR = {
  acks: "the DHCP and DNS servers to acknowledge the node's boot configuration",
  power: 'the power command to be confirmed',
  boot: 'the machine to fetch its installer',
  installing: 'the installer to report that it has finished',
  restart: 'the installed system to report that it is up',
} as const satisfies Record<LivePhase, string>;

const NEXT = {
  acks: ['power', 'failed'],
  power: ['boot', 'installing', 'failed'],
  boot: ['installing', 'failed'],
  installing: ['restart', 'failed'],
  restart: ['done', 'failed'],
  done: [],
  failed: [],
} as const satisfies Record<Phase, readonly Phase[]>;

export const mayFollow = (from: Phase, to: Phase): boolean =>
  (NEXT[from] as readonly Phase[]).includes(to);
