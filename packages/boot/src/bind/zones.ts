/** The zones that the networks need: their domains, and the reverse zones of their subnets. */
import type { Db } from '@hostwright/engine';
import { readSubnet } from '../address/number.ts';
import { isDnsName } from '../valid.ts';

const MOST_PARTS = 16;

/** Pure. A subnet between two dots of IPv4 has a zone per part, or the larger one if they are many. */
export const reverseZones = (subnet: string): readonly string[] => {
  const read = readSubnet(subnet);
  if (read === null || read.length === 0) return [];
  const size = read.family === 4 ? 8 : 4;
  const bits = read.family === 4 ? 32 : 128;
  const suffix = read.family === 4 ? 'in-addr.arpa' : 'ip6.arpa';
  const name = (base: bigint, digits: number): string => {
    const parts = Array.from({ length: digits }, (_, index) =>
      ((base >> BigInt(bits - size * (index + 1))) & ((1n << BigInt(size)) - 1n)).toString(
        read.family === 4 ? 10 : 16,
      ),
    );
    return `${parts.toReversed().join('.')}.${suffix}`;
  };
  const upper = Math.min(Math.ceil(read.length / size), bits / size - 1);
  const count = Math.max(1, 2 ** (upper * size - read.length));
  if (count > MOST_PARTS) return [name(read.base, Math.max(1, Math.floor(read.length / size)))];
  const step = 1n << BigInt(bits - upper * size);
  return Array.from({ length: count }, (_, index) => name(read.base + step * BigInt(index), upper));
};

export const readZones = async (db: Db): Promise<readonly string[]> => {
  const networks = await db
    .selectFrom('network')
    .select('domain')
    .where('domain', '<>', '')
    .execute();
  const ranges = await db.selectFrom('network_range').select('subnet').distinct().execute();
  const zones = [
    ...networks.map((row) => row.domain),
    ...ranges.flatMap((row) => reverseZones(row.subnet)),
  ];
  return [...new Set(zones)].filter(isDnsName).toSorted();
};
