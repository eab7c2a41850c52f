/** The disks of a machine out of its reported facts; what is not of the expected shape is left out. */
import type { JsonValue } from '@hostwright/core';
import type { Disk } from './choose-disks.ts';

const isObject = (value: JsonValue | undefined): value is { [key: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const readDisks = (facts: JsonValue | undefined): readonly Disk[] => {
  const list = isObject(facts) ? facts['disks'] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => {
    if (!isObject(item)) return [];
    const { name, serial, size_bytes: bytes, rotational, removable, signatures } = item;
    if (typeof name !== 'string' || !/^[a-z0-9]{1,32}$/.test(name) || typeof bytes !== 'number')
      return [];
    return [
      {
        name,
        bytes,
        serial: typeof serial === 'string' ? serial : '',
        rotational: rotational === true,
        removable: removable === true,
        signatures: Array.isArray(signatures)
          ? signatures.filter((one) => typeof one === 'string')
          : [],
      },
    ];
  });
};
