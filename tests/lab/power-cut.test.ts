/**
 * The power goes while a machine is installed, at moments chosen by chance (the seed is printed;
 * HOSTWRIGHT_LAB_SEED repeats it). What must come of it follows from what had happened by then: before
 * the leave to erase the installation resumes, after it the run ends in an error, and from the
 * installer's last word on the machine starts from its disk. Whichever: no loop, no second wipe.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LabMachine } from '@hostwright/providers';
import { eventually } from '@hostwright/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isMarked, markDisk } from './disk.ts';
import { createInstallSite, type InstallSite } from './install-site.ts';
import { discovered, explained, LONG, longLab, recorded, settled } from './look.ts';

const seed = Number(process.env['HOSTWRIGHT_LAB_SEED'] ?? Date.now() % 1_000_000);

/** mulberry32: the same seed, the same moments. */
const chance = (from: number): (() => number) => {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

describe.skipIf(!longLab())(`power cuts, HOSTWRIGHT_LAB_SEED=${seed}`, () => {
  const random = chance(seed);
  let site: InstallSite;
  beforeAll(async () => {
    process.stderr.write(`power cuts: HOSTWRIGHT_LAB_SEED=${seed}\n`);
    site = await createInstallSite();
  }, 600_000);
  afterEach(async () => site.cutAll());
  afterAll(async () => site.close(), 300_000);

  const installRow = (noderoleId: number) =>
    site.database.db
      .selectFrom('os_install')
      .select(['phase', 'wipe_granted_at', 'boots'])
      .where('noderole_id', '=', noderoleId)
      .executeTakeFirst();
  type Row = NonNullable<Awaited<ReturnType<typeof installRow>>>;

  const cutDuringInstall = async (
    machine: LabMachine,
    moment: { readonly when: (row: Row) => boolean; readonly withinSeconds: number },
  ) => {
    const disk = machine.disks[0] ?? '';
    await site.bmc(machine);
    markDisk(disk);
    await site.powerOn(machine);
    await discovered(site, machine);
    const { noderoleId } = await site.install({ machine, deployment: machine.name });
    await explained(
      machine,
      eventually(
        async () => {
          const row = await installRow(noderoleId);
          return row !== undefined && moment.when(row);
        },
        { limitSeconds: 900, what: 'the moment' },
      ),
    );
    const later = random() * moment.withinSeconds;
    await sleep(later * 1000);
    await machine.cut();
    const atCut = await installRow(noderoleId);
    const granted = atCut?.wipe_granted_at !== null;
    process.stderr.write(
      `${machine.name}: cut ${later.toFixed(2)} s later, in phase ${atCut?.phase}, leave to erase ${granted ? '' : 'not '}given\n`,
    );
    // nothing is written before the leave, and the leave is followed by an erased beginning
    if (!granted) expect(isMarked(disk)).toBe(true);
    else markDisk(disk);
    await machine.start();
    const ended = await settled(site, machine, noderoleId);
    const wipes = (await recorded(site, machine, 'callback')).filter((text) =>
      text.startsWith('leave to erase'),
    );
    expect(wipes).toHaveLength(1);
    const row = await installRow(noderoleId);
    expect(row?.boots).toBeLessThanOrEqual(2);
    return { ended, atCut, granted, noderoleId, disk };
  };

  const expectEnd = async (
    machine: LabMachine,
    cut: Awaited<ReturnType<typeof cutDuringInstall>>,
  ): Promise<void> => {
    const { ended, atCut, granted, disk, noderoleId } = cut;
    if (granted && atCut?.phase === 'installing') {
      expect(ended.state).toBe('error');
      expect(ended.reason).toContain('not erased again');
      // it comes back to discovery, and stays there: nothing retries by itself
      await discovered(site, machine);
      const runs = await site.database.db
        .selectFrom('os_install')
        .select('id')
        .where('noderole_id', '=', noderoleId)
        .execute();
      expect(runs).toHaveLength(1);
    } else {
      expect(ended).toEqual({ state: 'active', reason: '' });
      expect(await site.nodeOf(machine)).toMatchObject({ bootenv: 'local' });
    }
    await machine.cut();
    // what was written after the first wipe is still there: there was no second one
    expect(isMarked(disk)).toBe(granted);
  };

  test('before the leave to erase: a new installer finishes the work', LONG, async () => {
    const machine = await site.machine({ name: 'before', number: 34, memory: 768 });
    const cut = await cutDuringInstall(machine, {
      when: (row) => row.phase === 'installing',
      withinSeconds: 2,
    });
    await expectEnd(machine, cut);
  });

  test('while the disk is written: an error, and the disk is not erased again', LONG, async () => {
    const machine = await site.machine({ name: 'writing', number: 35, memory: 768 });
    const cut = await cutDuringInstall(machine, {
      when: (row) => row.wipe_granted_at !== null,
      withinSeconds: 8,
    });
    await expectEnd(machine, cut);
  });

  test('after the last word of the installer: the system starts', LONG, async () => {
    const machine = await site.machine({ name: 'written', number: 36, memory: 768 });
    const cut = await cutDuringInstall(machine, {
      when: (row) => row.phase === 'restart',
      withinSeconds: 5,
    });
    await expectEnd(machine, cut);
  });
});
