/** The best known facts of a node, in words; whatever else it reported is in `--json`. */
import type { JsonObject, JsonValue } from '@hostwright/core';
import { harmless } from '../../show-fields.ts';

const at = (value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined => {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return undefined;
    found = found[key];
  }
  return found;
};

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const size = (value: JsonValue | undefined): string => {
  let left = Number(value);
  if (!Number.isFinite(left)) return '?';
  let unit = 0;
  for (; left >= 1024 && unit < UNITS.length - 1; unit++) left /= 1024;
  return `${left >= 100 ? Math.round(left) : left.toFixed(1)} ${UNITS[unit]}`;
};

const list = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? value : [];

const words = (...values: readonly (JsonValue | undefined)[]): string =>
  values
    .filter((value) => value !== undefined && value !== null && value !== '')
    .map(harmless)
    .join(' ');

export const factLines = (facts: JsonObject): readonly (readonly [string, string])[] => [
  ['hardware', words(at(facts, 'dmi', 'vendor'), at(facts, 'dmi', 'product'))],
  ['serial', words(at(facts, 'dmi', 'serial'))],
  ['cpu', words(at(facts, 'cpu', 'model'))],
  ['memory', at(facts, 'memory_bytes') === undefined ? '' : size(at(facts, 'memory_bytes'))],
  ...list(at(facts, 'disks')).map(
    (disk) =>
      [
        'disk',
        `${words(at(disk, 'name'), at(disk, 'model'), at(disk, 'serial'))} ${size(at(disk, 'size_bytes'))}`,
      ] as const,
  ),
  ...list(at(facts, 'nics')).map(
    (nic) =>
      ['nic', words(at(nic, 'name'), at(nic, 'mac'), ...list(at(nic, 'addresses')))] as const,
  ),
];
