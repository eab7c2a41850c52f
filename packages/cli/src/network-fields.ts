/** What `network create` and `network set` take, read from the command line. */
import { BOND_MODES, NETWORK_CATEGORIES, RANGE_KINDS } from '@hostwright/api/nouns/network';
import { Failure } from './failure.ts';
import type { Invocation } from './invocation.ts';

const oneOf = <const Word extends string>(
  call: Invocation,
  option: string,
  words: readonly Word[],
): Word | undefined => {
  const given = call.text(option);
  if (given === undefined) return undefined;
  const word = words.find((known) => known === given);
  if (word === undefined)
    throw new Failure('usage', `--${option} takes one of ${words.join(', ')}, not ${given}`);
  return word;
};

/** `none` takes the value away. */
const numberOrNone = (call: Invocation, option: string): number | null | undefined =>
  call.text(option) === 'none' ? null : call.number(option);

export const readNetworkFields = (call: Invocation) => {
  const fields = {
    description: call.text('description'),
    category: oneOf(call, 'category', NETWORK_CATEGORIES),
    group: call.text('group'),
    domain: call.text('domain'),
    vlan: numberOrNone(call, 'vlan'),
    mtu: numberOrNone(call, 'mtu'),
    conduit: call.text('conduit'),
    bondMode: call.text('bond') === 'none' ? null : oneOf(call, 'bond', BOND_MODES),
    bridge: call.flag('bridge') ? true : call.flag('without-bridge') ? false : undefined,
    configure: call.flag('record-only') ? false : undefined,
    quarantineSeconds: call.number('quarantine', { least: 0 }),
  };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<typeof fields>;
};

/** `host:10.0.0.10-10.0.0.99/24`, in front of it another kind: `pool=dhcp:…`. */
export const readRange = (text: string) => {
  const [, name, kind, first, last, length] =
    /^([a-z][a-z0-9-]*)(?:=([a-z]+))?:([0-9a-f.:]+)-([0-9a-f.:]+)\/(\d{1,3})$/i.exec(text) ?? [];
  const known = RANGE_KINDS.find((word) => word === (kind ?? 'host'));
  if (
    name === undefined ||
    first === undefined ||
    last === undefined ||
    length === undefined ||
    known === undefined
  )
    throw new Failure('usage', `${text} is no range`, {
      advice: 'write name:first-last/length, as in host:10.0.0.10-10.0.0.99/24 or pool=dhcp:…',
    });
  return { name, kind: known, first, last, subnet: `${first}/${length}` };
};

export const countRanges = ({ ranges }: { readonly ranges: readonly unknown[] }): string =>
  ranges.length === 1 ? '1 range' : `${ranges.length === 0 ? 'no' : ranges.length} ranges`;
