/** Any number of simulated machines in one process, told apart by number; the same seed, the same machines. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startMachine, type Machine } from './machine.ts';
import { createPace } from './pace.ts';
import { randomOf } from './random.ts';
import { emptyTally, type Tally } from './tally.ts';
import { openWire } from './wire.ts';

export interface FleetOptions {
  readonly url: string;
  /** The CA's certificate, PEM. */
  readonly ca: string;
  readonly joinToken: string;
  readonly nodes: number;
  /** Number of the first machine: two fleets of one seed may stand side by side. */
  readonly first?: number;
  readonly seed?: number;
  /** Host names begin with it. */
  readonly prefix?: string;
  /** Share of tasks that fail, 0 to 1. */
  readonly failureRate?: number;
  readonly secondsPerTask?: number;
  readonly rebootSeconds?: number;
  /** Share of machines that reboot by themselves in a minute, 0 to 1. */
  readonly rebootsPerMinute?: number;
  /** Share of machines that die in a minute; they come back after `deadSeconds`. */
  readonly deathsPerMinute?: number;
  readonly deadSeconds?: number;
  /** New machines and reconnections per second. */
  readonly connectsPerSecond?: number;
  /** Machines between their first call and their first poll. */
  readonly enteringAtOnce?: number;
  /** How often each machine has booted before, by number: kept by the caller between two starts. */
  readonly boots?: ReadonlyMap<number, number>;
  readonly onBoot?: (index: number, boots: number) => void;
  readonly onJoin?: (index: number, name: string) => void;
  readonly onTrouble?: (index: number, error: unknown) => void;
}

export interface Fleet {
  readonly tally: Readonly<Tally>;
  connections(): number;
  machine(index: number): Machine | undefined;
  stop(): Promise<void>;
}

export const startFleet = (options: FleetOptions): Fleet => {
  const { seed = 1, first = 0, nodes } = options;
  const wire = openWire(options);
  const pace = createPace({
    perSecond: options.connectsPerSecond ?? 200,
    atOnce: options.enteringAtOnce ?? 48,
  });
  const tally = emptyTally(nodes);
  const stopping = new AbortController();
  const machines = new Map<number, Machine>();
  for (let index = first; index < first + nodes; index++) {
    const machine = startMachine({
      index,
      seed,
      prefix: options.prefix ?? 'sim',
      boots: options.boots?.get(index) ?? 0,
      joinToken: options.joinToken,
      failureRate: options.failureRate ?? 0,
      secondsPerTask: options.secondsPerTask ?? 1,
      rebootSeconds: options.rebootSeconds ?? 5,
      wire,
      pace,
      tally,
      signal: stopping.signal,
      onBoot: options.onBoot ?? (() => {}),
      onJoin: options.onJoin ?? (() => {}),
      onTrouble: options.onTrouble ?? (() => {}),
    });
    machines.set(index, machine);
  }

  const random = randomOf(seed, 0x7fff_ffff);
  const misfortune = async (share: number, strike: (machine: Machine) => void): Promise<void> => {
    if (share <= 0) return;
    const gapMs = 60_000 / (share * nodes);
    while (!stopping.signal.aborted) {
      await sleep(gapMs * (0.5 + random.next()), undefined, { signal: stopping.signal });
      const machine = machines.get(first + random.between(0, nodes - 1));
      if (machine) strike(machine);
    }
  };
  const untilStopped = (work: Promise<void>): Promise<void> => work.catch(() => {});
  const reboots = untilStopped(
    misfortune(options.rebootsPerMinute ?? 0, (machine) => machine.reboot()),
  );
  const deaths = untilStopped(
    misfortune(options.deathsPerMinute ?? 0, (machine) => {
      machine.die();
      const wake = setTimeout(() => machine.revive(), (options.deadSeconds ?? 90) * 1000);
      stopping.signal.addEventListener('abort', () => clearTimeout(wake), { once: true });
    }),
  );

  return {
    tally,
    connections: () => wire.connections(),
    machine: (index) => machines.get(index),
    stop: async () => {
      stopping.abort();
      await Promise.all([...machines.values()].map((machine) => machine.ended));
      await Promise.all([reboots, deaths]);
      wire.close();
    },
  };
};
