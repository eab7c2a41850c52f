/**
 * From power-on until the machine is registered - there is a node for it - against the same machine,
 * kernel and drivers booted by a hand-written static iPXE script into a shell init that knows which
 * drivers to load and posts what the machine is, without TLS. When the inventory of the node is in,
 * with every disk and card, is shown beside it.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingForRack, type LabMachine } from '@hostwright/providers';
import { startLab } from '@hostwright/server';
import type { Bar, BenchContext } from '../context.ts';
import {
  cpuSeconds,
  HAND_START,
  middle,
  openFiles,
  openHandMadeRack,
  untilDiscovered,
  untilRegistered,
} from '../lab.ts';

const ROUNDS = 3;
const INIT = `${HAND_START}
facts="host=$(cat /sys/class/net/eth0/address) uuid=$(cat /sys/class/dmi/id/product_uuid) serial=$(cat /sys/class/dmi/id/product_serial) memory=$(head -n 1 /proc/meminfo) disks=$(cat /sys/block/vd*/size)"
curl -q -fsS --data-binary "$facts" http://192.168.77.1:8080/registered
sleep 100000
`;

const seconds = (from: number): number => (performance.now() - from) / 1000;

interface Taken {
  readonly seconds: number;
  readonly cpu: number;
  /** Until the inventory was in. */
  readonly told: number;
}

/** Round about, so that what else the computer does falls on both. */
const measure = async (context: BenchContext, home: string): Promise<readonly [Taken, Taken][]> => {
  const files = await openFiles(home);
  const database = await context.freshDatabase();
  const rack = await openHandMadeRack({ home: join(home, 'hand'), files, init: INIT });
  mkdirSync(join(home, 'lab'));
  const lab = await startLab({ database, home: join(home, 'lab'), files });
  const boot = async (
    machine: LabMachine,
    registered: () => Promise<unknown>,
    inventory: () => Promise<unknown> = async () => undefined,
  ): Promise<Taken> => {
    const began = performance.now();
    await machine.start();
    await registered();
    const taken = { seconds: seconds(began), cpu: cpuSeconds(machine) };
    await inventory();
    const told = seconds(began);
    await machine.cut();
    return { ...taken, told };
  };
  const rounds: [Taken, Taken][] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const other = await rack.machine({ name: `hand${round}`, number: 10 + round });
      const hand = await boot(other, () => rack.nextReport());
      const machine = await lab.machine({ name: `ours${round}`, number: 20 + round });
      const ours = await boot(
        machine,
        () => untilRegistered(database.db, machine.uuid),
        () => untilDiscovered(database.db, machine.uuid),
      );
      rounds.push([hand, ours]);
      context.say(
        `  by hand ${hand.seconds.toFixed(1)} s (cpu ${hand.cpu.toFixed(1)}), Hostwright ${ours.seconds.toFixed(1)} s (cpu ${ours.cpu.toFixed(1)}), inventory ${ours.told.toFixed(1)} s`,
      );
    }
  } finally {
    await lab.close();
    await rack.close();
    await database.close();
  }
  return rounds;
};

export const bar: Bar = {
  id: 'boot',
  title: 'power-on to registered in QEMU <= 1.1 x a static script and a shell init',
  quick: false,
  run: async (context) => {
    const missing = missingForRack();
    if (missing.length > 0) throw new Error(`a rack needs ${missing.join(', ')}`);
    const home = mkdtempSync(join(tmpdir(), 'hostwright-bench-lab-'));
    try {
      const rounds = await measure(context, home);
      const hand = middle(rounds.map(([one]) => one.seconds));
      const ours = middle(rounds.map(([, one]) => one.seconds));
      const handCpu = middle(rounds.map(([one]) => one.cpu));
      const oursCpu = middle(rounds.map(([, one]) => one.cpu));
      const told = middle(rounds.map(([, one]) => one.told));
      const ratio = ours / hand;
      return {
        held: ratio <= 1.1,
        summary: `${ours.toFixed(1)} s, by hand ${hand.toFixed(1)} s: ${ratio.toFixed(2)} x (middle of ${ROUNDS}); with its inventory ${told.toFixed(1)} s: ${(told / hand).toFixed(2)} x; processor ${oursCpu.toFixed(1)} s and ${handCpu.toFixed(1)} s`,
        figures: {
          oursSeconds: ours,
          handSeconds: hand,
          ratio,
          inventorySeconds: told,
          oursCpu,
          handCpu,
        },
      };
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};
