import { harmless } from './show-fields.ts';

/** One line per disk: how it is known, and what is lost with it. */
export const diskLines = (
  disks: readonly {
    readonly name: string;
    readonly serial: string | null;
    readonly bytes: number | null;
    readonly holds?: readonly string[] | undefined;
  }[],
): string[] =>
  disks.map((disk) => {
    const size = disk.bytes === null ? '' : `, ${Math.round(disk.bytes / 1e9)} GB`;
    const holds =
      disk.holds === undefined
        ? 'what is on it was not told'
        : disk.holds.length === 0
          ? 'nothing was found on it'
          : disk.holds.join('; ');
    return harmless(`${disk.name} (serial ${disk.serial ?? 'unknown'}${size}): ${holds}`);
  });
