/** Addresses as numbers: the arithmetic that choosing one needs, for IPv4 and IPv6 alike. */
import { isIPv4, isIPv6 } from 'node:net';

export type Family = 4 | 6;
export interface AddressNumber {
  readonly family: Family;
  readonly value: bigint;
}

const readGroups = (text: string): bigint[] =>
  text === '' ? [] : text.split(':').map((group) => BigInt(`0x${group}`));

const readV4 = (text: string): bigint =>
  text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);

export const readAddress = (text: string): AddressNumber | null => {
  if (isIPv4(text)) return { family: 4, value: readV4(text) };
  if (!isIPv6(text) || text.includes('%')) return null;
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const v4 = dotted?.[2] === undefined ? null : readV4(dotted[2]);
  const plain =
    v4 === null
      ? text
      : `${dotted?.[1] ?? ''}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`;
  const [head = '', tail] = plain.split('::');
  const left = readGroups(head);
  const right = tail === undefined ? [] : readGroups(tail);
  const middle = Array.from({ length: 8 - left.length - right.length }, () => 0n);
  const groups = tail === undefined ? left : [...left, ...middle, ...right];
  return { family: 6, value: groups.reduce((sum, group) => sum * 65_536n + group, 0n) };
};

export const writeAddress = ({ family, value }: AddressNumber): string => {
  const size = family === 4 ? 8n : 16n;
  const parts = Array.from({ length: family === 4 ? 4 : 8 }, (_, index) => {
    const shift = size * BigInt((family === 4 ? 3 : 7) - index);
    return (value >> shift) & ((1n << size) - 1n);
  });
  if (family === 4) return parts.join('.');
  const hex = parts.map((part) => part.toString(16));
  const zeros = [...hex.join(':').matchAll(/(^|:)(0(:0)+)(?=:|$)/g)].map((match) => match[2] ?? '');
  const longest = zeros.sort((one, other) => other.length - one.length)[0];
  if (longest === undefined) return hex.join(':');
  return hex.join(':').replace(new RegExp(`(^|:)${longest}(:|$)`), '::');
};

export interface Subnet {
  readonly family: Family;
  readonly base: bigint;
  readonly length: number;
}

export const readSubnet = (text: string): Subnet | null => {
  const [address = '', mask = ''] = text.split('/');
  const number = readAddress(address);
  if (number === null || !/^\d{1,3}$/.test(mask)) return null;
  const bits = number.family === 4 ? 32 : 128;
  const length = Number(mask);
  if (length > bits) return null;
  const host = BigInt(bits - length);
  return { family: number.family, base: (number.value >> host) << host, length };
};

/** As the database takes it: `10.0.0.5/24` is `10.0.0.0/24`. */
export const writeSubnet = ({ family, base, length }: Subnet): string =>
  `${writeAddress({ family, value: base })}/${length}`;

export const hostPart = (address: AddressNumber, subnet: Subnet): bigint =>
  address.value & ((1n << BigInt((subnet.family === 4 ? 32 : 128) - subnet.length)) - 1n);

export const netmask = (subnet: Subnet): string =>
  writeAddress({
    family: 4,
    value: ((1n << BigInt(subnet.length)) - 1n) << BigInt(32 - subnet.length),
  });
