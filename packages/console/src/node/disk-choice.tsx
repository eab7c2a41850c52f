/** Disks to be lost, each ticked by hand: naming them is the consent. */
import type { JsonObject } from '@hostwright/core';

export interface Disk {
  readonly name: string;
  readonly serial: string | null;
  readonly bytes: number | null;
  readonly holds?: readonly string[] | undefined;
}

const GIB = 1024 ** 3;

/** The disks a machine told of at its discovery. */
export const disksOfFacts = (facts: JsonObject): readonly Disk[] => {
  const { disks } = facts;
  if (!Array.isArray(disks)) return [];
  return disks.flatMap((disk) => {
    if (typeof disk !== 'object' || disk === null || Array.isArray(disk)) return [];
    const { name, serial, size_bytes: bytes, signatures } = disk;
    if (typeof name !== 'string') return [];
    return [
      {
        name,
        serial: typeof serial === 'string' ? serial : null,
        bytes: typeof bytes === 'number' ? bytes : null,
        holds: Array.isArray(signatures)
          ? signatures.filter((each) => typeof each === 'string')
          : undefined,
      },
    ];
  });
};

export const DiskChoice = (props: {
  readonly disks: readonly Disk[];
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}) => {
  const toggle = (name: string) => {
    const next = new Set(props.chosen);
    if (!next.delete(name)) next.add(name);
    props.onChoose(next);
  };
  if (props.disks.length === 0)
    return <p className="muted">No disks are known: let the machine be discovered first.</p>;
  return (
    <div className="stack tight">
      {props.disks.map((disk) => (
        <label key={disk.name} className="check">
          <input
            type="checkbox"
            checked={props.chosen.has(disk.name)}
            onChange={() => toggle(disk.name)}
          />
          <span>
            <strong className="mono">{disk.name}</strong>
            {disk.bytes === null ? '' : `, ${Math.round(disk.bytes / GIB)} GiB`}
            <span className="faint"> {disk.serial ?? ''}</span>
            {disk.holds === undefined || disk.holds.length === 0 ? null : (
              <span className="muted"> · holds {disk.holds.join(', ')}</span>
            )}
          </span>
        </label>
      ))}
    </div>
  );
};
