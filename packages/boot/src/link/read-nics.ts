/** The physical NICs of a machine out of its reported facts; what is not of the expected shape is left out. */
import type { JsonValue } from '@hostwright/core';
import { oneLine, readMac } from '../valid.ts';
import type { Nic } from './conduit.ts';

export interface ReportedNic extends Nic {
  readonly name: string;
  readonly carrier: boolean | null;
  /** What the switch said of itself by LLDP. */
  readonly neighbour: string;
}

const isObject = (value: JsonValue | undefined): value is { [key: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const neighbourOf = (lldp: JsonValue | undefined): string => {
  if (!isObject(lldp)) return '';
  const words = Object.values(lldp).flatMap((part) =>
    typeof part === 'string' && part !== '' ? [part] : [],
  );
  return oneLine(words.join(' '), 200);
};

export const readNics = (facts: JsonValue | undefined): readonly ReportedNic[] => {
  const list = isObject(facts) ? facts['nics'] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => {
    if (!isObject(item) || item['physical'] === false) return [];
    const mac = typeof item['mac'] === 'string' ? readMac(item['mac']) : null;
    const { name, speed_mbit: speed, carrier, bus } = item;
    if (mac === null || typeof name !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/.test(name))
      return [];
    return [
      {
        mac,
        name,
        megabits: typeof speed === 'number' && speed > 0 ? Math.floor(speed) : 0,
        bus: typeof bus === 'string' && bus !== '' ? bus : name,
        carrier: typeof carrier === 'boolean' ? carrier : null,
        neighbour: neighbourOf(item['lldp']),
      },
    ];
  });
};
