/**
 * From power-on until the machine is registered with its inventory, against the same machine, kernel
 * and drivers booted by a hand-written static iPXE script into a shell init that posts what it is.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { missingForRack } from '@hostwright/providers';
import { startLab } from '@hostwright/server';
import type { Bar, BenchContext } from '../context.ts';
import { HAND_START, openFiles, openHandMadeRack } from '../lab.ts';

const ROUNDS = 3;
const INIT = `${HAND_START}
facts="host=$(cat /sys/class/net/eth0/address) uuid=$(cat /sys/class/dmi/id/product_uuid) serial=$(cat /sys/class/dmi/id/product_serial) memory=$(head -n 1 /proc/meminfo) disks=$(cat /sys/block/vd*/size)"
curl -q -fsS --data-binary "$facts" http://192.168.77.1:8080/registered
sleep 100000
`;

const seconds = (from: number): number => (performance.now() - from) / 1000;
const middle = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

const measureHand = async (home: string, files: string): Promise<number[]> => {
  const rack = await openHandMadeRack({ home: join(home, 'hand'), files, init: INIT });
  const taken: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const machine = await rack.machine({ name: `hand${round}`, number: 10 + round });
      const began = performance.now();
      await machine.start();
      await rack.nextReport();
      taken.push(seconds(began));
      await machine.cut();
    }
  } finally {
    await rack.close();
  }
  return taken;
};

const measureOurs = async (
  context: BenchContext,
  home: string,
  files: string,
): Promise<number[]> => {
  const database = await context.freshDatabase();
  const lab = await startLab({ database, home: join(home, 'lab'), files });
  const taken: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const machine = await lab.machine({ name: `ours${round}`, number: 20 + round });
      const began = performance.now();
      await machine.start();
      for (;;) {
        const row = await database.db
          .selectFrom('node')
          .select('id')
          .where('system_uuid', '=', machine.uuid)
          .where('discovered_at', 'is not', null)
          .executeTakeFirst();
        if (row !== undefined) break;
        if (seconds(began) > 600) throw new Error('the machine was not discovered in 600 s');
        await sleep(20);
      }
      taken.push(seconds(began));
      await machine.cut();
    }
  } finally {
    await lab.close();
    await database.close();
  }
  return taken;
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
      const files = await openFiles(home);
      const hand = middle(await measureHand(home, files));
      const ours = middle(await measureOurs(context, home, files));
      const ratio = ours / hand;
      return {
        held: ratio <= 1.1,
        summary: `${ours.toFixed(1)} s, by hand ${hand.toFixed(1)} s: ${ratio.toFixed(2)} x (middle of ${ROUNDS})`,
        figures: { oursSeconds: ours, handSeconds: hand, ratio },
      };
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};
