/**
 * Which disks an installation may erase. Pure, and never a guess: a rule that fits more disks than
 * asked for takes the smallest by name order only if the operator said `first`; else it is refused
 * and the operator is asked.
 */
import type { Refusal } from '@hostwright/core';

export interface Disk {
  readonly name: string;
  readonly serial: string;
  readonly bytes: number;
  readonly rotational: boolean;
  readonly removable: boolean;
  /** What lies on it now, for the plan: "ext4", "LVM2", "" = nothing known. */
  readonly signatures: readonly string[];
}

export interface DiskWish {
  readonly serials?: readonly string[];
  readonly rule?: 'first' | 'only' | 'smallest' | 'largest' | 'ssd';
  readonly minBytes?: number;
}

export type ChosenDisks =
  | { readonly ok: true; readonly disks: readonly Disk[] }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

const refuse = (message: string): ChosenDisks => ({
  ok: false,
  refusals: [{ code: 'no_disk', path: 'disk', message }],
});

export const chooseDisks = (disks: readonly Disk[], wish: DiskWish, count = 1): ChosenDisks => {
  if (wish.serials !== undefined && wish.serials.length > 0) {
    const found = wish.serials.map((serial) => disks.filter((disk) => disk.serial === serial));
    const bad = wish.serials.filter((_, index) => found[index]?.length !== 1);
    if (bad.length > 0)
      return refuse(`no disk, or more than one, has the serial ${bad.join(', ')}`);
    if (wish.serials.length !== count)
      return refuse(`the layout needs ${count} disk(s), ${wish.serials.length} named`);
    return { ok: true, disks: found.flat() };
  }
  const usable = disks
    .filter((disk) => !disk.removable && disk.bytes >= (wish.minBytes ?? 1_000_000_000))
    .filter((disk) => wish.rule !== 'ssd' || !disk.rotational)
    .sort((one, other) => one.name.localeCompare(other.name));
  const nameless = usable.filter((disk) => disk.serial === '');
  if (usable.length < count)
    return refuse(`the layout needs ${count} disk(s); the machine has ${usable.length} that fit`);
  if (wish.rule === undefined || wish.rule === 'only' || wish.rule === 'ssd') {
    if (usable.length > count)
      return refuse(
        `${usable.length} disks fit: name them by serial (${usable.map((disk) => `${disk.name}=${disk.serial}`).join(', ')})`,
      );
  }
  if (wish.rule === 'smallest') usable.sort((one, other) => one.bytes - other.bytes);
  if (wish.rule === 'largest') usable.sort((one, other) => other.bytes - one.bytes);
  const chosen = usable.slice(0, count);
  if (chosen.some((disk) => nameless.includes(disk)) && usable.length > 1)
    return refuse('a disk without a serial cannot be told from the others');
  return { ok: true, disks: chosen };
};
