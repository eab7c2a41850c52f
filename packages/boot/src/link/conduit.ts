/**
 * Conduits: which NICs of a machine a network is put on, said without naming a machine.
 * `1g0` = first NIC of exactly 1 Gbit/s, `+1g0` = that speed or more, `-10g0` = that or less,
 * `?10g0` = that speed, or the nearest there is. `1g0,1g1` = a bond of the first two.
 */
export interface ConduitMember {
  readonly sign: '' | '+' | '-' | '?';
  readonly megabits: number;
  readonly index: number;
}

export type Conduit =
  | { readonly ok: true; readonly members: readonly ConduitMember[] }
  | { readonly ok: false; readonly reason: string };

export interface Nic {
  readonly mac: string;
  readonly megabits: number;
  /** Sort key of the slot it sits in; the order of a machine's NICs must not follow the kernel's mood. */
  readonly bus: string;
}

export type ResolvedConduit =
  | { readonly ok: true; readonly macs: readonly string[] }
  | { readonly ok: false; readonly reason: string };

const SPEEDS: Readonly<Record<string, number>> = {
  '10m': 10,
  '100m': 100,
  '1g': 1000,
  '2.5g': 2500,
  '10g': 10_000,
  '25g': 25_000,
  '40g': 40_000,
  '50g': 50_000,
  '100g': 100_000,
  '200g': 200_000,
  '400g': 400_000,
};
const MEMBER = /^([+?-]?)(10m|100m|1g|2\.5g|10g|25g|40g|50g|100g|200g|400g)(\d{1,2})$/;

export const readConduit = (text: string): Conduit => {
  if (text === '' || text === 'bmc') return { ok: true, members: [] };
  const members: ConduitMember[] = [];
  for (const part of text.split(',')) {
    const [, sign, speed, index] = MEMBER.exec(part) ?? [];
    const megabits = SPEEDS[speed ?? ''];
    if (megabits === undefined || (sign !== '' && sign !== '+' && sign !== '-' && sign !== '?')) {
      return { ok: false, reason: `${part} is no conduit member such as 1g0 or ?10g1` };
    }
    members.push({ sign, megabits, index: Number(index) });
  }
  const [first] = members;
  if (members.length > 8) return { ok: false, reason: 'a bond has at most 8 members' };
  if (members.some((member) => member.sign !== first?.sign || member.megabits !== first.megabits)) {
    return { ok: false, reason: 'all members of a conduit have the same speed and sign' };
  }
  if (new Set(members.map((member) => member.index)).size < members.length) {
    return { ok: false, reason: 'a NIC is named twice' };
  }
  return { ok: true, members };
};

const fits = (member: ConduitMember, nics: readonly Nic[]): readonly Nic[] => {
  if (member.sign === '+') return nics.filter((nic) => nic.megabits >= member.megabits);
  if (member.sign === '-') return nics.filter((nic) => nic.megabits <= member.megabits);
  const exact = nics.filter((nic) => nic.megabits === member.megabits);
  if (member.sign === '' || exact.length > member.index) return exact;
  const distance = (nic: Nic) => Math.abs(Math.log(Math.max(nic.megabits, 1) / member.megabits));
  const nearest = Math.min(...nics.map(distance));
  return nics.filter((nic) => distance(nic) === nearest);
};

export const resolveConduit = (text: string, nics: readonly Nic[]): ResolvedConduit => {
  const conduit = readConduit(text);
  if (!conduit.ok) return conduit;
  const sorted = [...nics].sort(
    (one, other) => one.bus.localeCompare(other.bus) || one.mac.localeCompare(other.mac),
  );
  const macs: string[] = [];
  for (const member of conduit.members) {
    const nic = fits(member, sorted)[member.index];
    if (nic === undefined)
      return {
        ok: false,
        reason: `the machine has no NIC for ${member.sign}${member.megabits} Mbit/s number ${member.index}`,
      };
    macs.push(nic.mac);
  }
  return { ok: true, macs };
};

/** Two networks share a conduit wholly or not at all. */
export const conduitsClash = (one: readonly string[], other: readonly string[]): boolean =>
  one.some((mac) => other.includes(mac)) &&
  (one.length !== other.length || one.some((mac) => !other.includes(mac)));
