/**
 * One simulated machine. It knows what a real one knows - a join token, the CA, its own hardware -
 * and says only what docs/reference/agent-protocol.md lets a machine say.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, inventoryOf } from './hardware.ts';
import { createLanes } from './lanes.ts';
import type { Pace } from './pace.ts';
import { randomOf } from './random.ts';
import type { Tally } from './tally.ts';
import { createVoice, type Mouth } from './voice.ts';
import { readLines, type Wire } from './wire.ts';

export interface MachineOptions {
  readonly index: number;
  readonly seed: number;
  readonly prefix: string;
  /** How often it had booted before. A boot id of an earlier boot is refused, so this must not go back. */
  readonly boots: number;
  readonly joinToken: string;
  readonly failureRate: number;
  readonly secondsPerTask: number;
  readonly rebootSeconds: number;
  readonly wire: Wire;
  readonly pace: Pace;
  readonly tally: Tally;
  readonly signal: AbortSignal;
  readonly onBoot: (index: number, boots: number) => void;
  readonly onJoin: (index: number, name: string) => void;
  readonly onTrouble: (index: number, error: unknown) => void;
}

export interface Machine {
  /** Down and up again with a new boot id, as after `reboot`. */
  reboot(): void;
  /** Silent from now on: neither polls nor answers. */
  die(): void;
  /** Powered on again after `die`. */
  revive(): void;
  readonly ended: Promise<void>;
}

const POLL_SECONDS = 25;
const HELLO_EVERY_MS = 10 * 60_000;

const bootIdOf = (seed: number, index: number, boots: number): string => {
  const hex = createHash('sha256').update(`${seed}/${index}/${boots}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });

export const startMachine = (options: MachineOptions): Machine => {
  const { index, seed, prefix, pace, tally } = options;
  const random = randomOf(seed, index + 0x4000_0000);
  const identity = identityOf(seed, index, prefix);
  let boots = options.boots;
  let power: 'on' | 'off' = 'on';
  let switchedOn = Promise.withResolvers<void>();
  const mouth: Mouth = {
    token: undefined,
    bootId: bootIdOf(seed, index, boots),
    boot: new AbortController(),
  };
  const voice = createVoice({ ...options, mouth, random });
  const reboot = (): void => mouth.boot.abort();
  const lanes = createLanes({ ...options, identity, random, mouth, voice, reboot });

  const nextBoot = (): void => {
    boots++;
    mouth.bootId = bootIdOf(seed, index, boots);
    options.onBoot(index, boots);
  };

  const join = async (): Promise<void> => {
    const body = JSON.stringify({
      hostname: identity.hostname,
      boot_id: mouth.bootId,
      system_uuid: identity.systemUuid,
      serial: identity.serial,
      macs: identity.macs,
      machine_id: identity.machineId,
    });
    const path = '/agent/v1/join';
    const answer = await voice.say({ method: 'POST', path, token: options.joinToken, body });
    const lines = readLines(answer.body);
    mouth.token = lines.get('token');
    if (answer.status >= 300 || mouth.token === undefined)
      throw new Error(
        `join was answered ${answer.status}: ${answer.body.toString().slice(0, 200)}`,
      );
    tally.joins++;
    options.onJoin(index, lines.get('name') ?? identity.hostname);
  };

  /** False: a new token or a new boot id is needed, and has been seen to. */
  const hello = async (): Promise<boolean> => {
    const { status, body } = await voice.say({
      method: 'POST',
      path: '/agent/v1/hello',
      body: JSON.stringify({
        boot_id: mouth.bootId,
        agent_version: 'simulator',
        uptime_seconds: 60,
      }),
    });
    if (status === 401 || status === 403) mouth.token = undefined;
    if (status === 409) nextBoot();
    if (status !== 200) return false;
    mouth.token = readLines(body).get('rotate') ?? mouth.token;
    return true;
  };

  const poll = async (): Promise<void> => {
    const until = performance.now() + HELLO_EVERY_MS;
    while (performance.now() < until) {
      const { status, body } = await voice.ask({
        method: 'GET',
        path: `/agent/v1/task?boot=${mouth.bootId}&wait=${POLL_SECONDS}`,
        timeoutSeconds: POLL_SECONDS + 15,
      });
      if (status === 200) await lanes.take(readLines(body));
      else if (status === 401 || status === 403) mouth.token = undefined;
      else if (status !== 204 && status !== 409) throw new Error(`poll was answered ${status}`);
      if (status >= 400) return;
    }
  };

  const oneBoot = async (): Promise<void> => {
    let inventoryTold = false;
    const comeIn = async (): Promise<boolean> => {
      const leave = await pace.enter(mouth.boot.signal);
      try {
        if (mouth.token === undefined) await join();
        if (!(await hello())) return false;
        if (!inventoryTold) {
          const body = JSON.stringify(inventoryOf(seed, index, prefix));
          await voice.say({ method: 'POST', path: '/agent/v1/inventory', body });
          inventoryTold = true;
        }
        await lanes.pickUp();
        return true;
      } finally {
        leave();
      }
    };
    for (let failures = 0; ; failures++) {
      try {
        if (!(await comeIn())) continue;
        failures = 0;
        await poll();
      } catch (error) {
        if (mouth.boot.signal.aborted) return;
        tally.errors++;
        options.onTrouble(index, error);
        await voice.rest(failures);
      }
    }
  };

  const live = async (): Promise<void> => {
    options.signal.addEventListener('abort', () => mouth.boot.abort(), { once: true });
    while (!options.signal.aborted) {
      tally.up++;
      await oneBoot().catch(() => {});
      tally.up--;
      if (options.signal.aborted) return;
      const back =
        power === 'off'
          ? switchedOn.promise
          : sleep(options.rebootSeconds * 1000, undefined, { signal: options.signal });
      await Promise.race([back, aborted(options.signal)]).catch(() => {});
      tally.reboots++;
      nextBoot();
      mouth.boot = new AbortController();
    }
  };

  return {
    reboot,
    die: () => {
      power = 'off';
      mouth.boot.abort();
    },
    revive: () => {
      power = 'on';
      switchedOn.resolve();
      switchedOn = Promise.withResolvers<void>();
    },
    ended: live(),
  };
};
