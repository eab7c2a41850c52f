/** The records a node should have in DNS, and which zone takes each. Pure. */
import { readAddress } from '../address/number.ts';
import type { NodeData } from '../feed/node-data.ts';
import { sshfpOf } from './sshfp.ts';
import type { RecordType } from './wire.ts';

export interface DnsRecord {
  readonly zone: string;
  readonly name: string;
  readonly type: RecordType;
  readonly value: string;
}

export const reverseName = (address: string): string => {
  const number = readAddress(address);
  if (number === null) return '';
  if (number.family === 4) return `${address.split('.').toReversed().join('.')}.in-addr.arpa`;
  return `${number.value.toString(16).padStart(32, '0').split('').toReversed().join('.')}.ip6.arpa`;
};

/** The longest of our zones that holds the name; null = not ours to write. */
export const zoneOf = (name: string, zones: readonly string[]): string | null =>
  zones
    .filter((zone) => name === zone || name.endsWith(`.${zone}`))
    .sort((one, other) => other.length - one.length)[0] ?? null;

export const recordsOf = (node: NodeData, zones: readonly string[]): readonly DnsRecord[] => {
  const prints = [...new Set(node.hostKeys.flatMap((key) => sshfpOf(key) ?? []))];
  const records = node.addresses.flatMap(({ address, names }): DnsRecord[] => {
    const type = address.includes(':') ? ('AAAA' as const) : ('A' as const);
    const ours = names.flatMap((name) => {
      const zone = zoneOf(name, zones);
      return zone === null ? [] : [{ zone, name }];
    });
    const forward = ours.flatMap(({ zone, name }): DnsRecord[] => [
      { zone, name, type, value: address },
      ...prints.map((value): DnsRecord => ({ zone, name, type: 'SSHFP', value })),
    ]);
    const back = reverseName(address);
    const zone = zoneOf(back, zones);
    const first = ours[0];
    return zone === null || first === undefined
      ? forward
      : [...forward, { zone, name: back, type: 'PTR', value: `${first.name}.` }];
  });
  // a name with two addresses has its fingerprints once
  return [...new Map(records.map((record) => [JSON.stringify(record), record])).values()];
};
