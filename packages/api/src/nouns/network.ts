import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { at, description, id, pageOf, pageQuery, ref } from '../schema.ts';

export const NETWORK_CATEGORIES = ['admin', 'bmc', 'general', 'unmanaged'] as const;
export const RANGE_KINDS = ['host', 'dhcp', 'reserved'] as const;
export const BOND_MODES = [
  'balance-rr',
  'active-backup',
  'balance-xor',
  'broadcast',
  '802.3ad',
  'balance-tlb',
  'balance-alb',
] as const;

/** Refused in one sentence, whichever end was missed. */
const wholeFrom = (least: number, most: number) => {
  const words = `must be a whole number from ${least} to ${most}`;
  return z.number(words).int(words).min(least, words).max(most, words);
};

const count = z.number().int();
const name = z
  .string()
  .max(63)
  .regex(/^[a-z][a-z0-9-]*$/, 'starts with a letter; lower case letters, digits, dashes');
const address = z.string().min(2).max(45).describe('IPv4 or IPv6 address, no mask');
const subnet = z.string().min(4).max(49).describe('like 10.0.0.0/24 or fd00::/64');
const kind = z.enum(RANGE_KINDS).describe('host: for nodes; dhcp: for strangers; reserved: nobody');

export const networkRange = z.object({
  id,
  name: z.string(),
  kind,
  subnet: z.string(),
  first: z.string(),
  last: z.string(),
  size: z.string().describe('how many addresses it spans; a text, an IPv6 range can be huge'),
  held: count.describe('addresses of nodes'),
  reserved: count,
  quarantined: count,
});

export const router = z.object({
  address: z.string(),
  pref: count.describe('of several on a host, the lowest gives the default route'),
});

export const network = z.object({
  id,
  name: z.string(),
  description: z.string(),
  category: z.enum(NETWORK_CATEGORIES),
  group: z.string().describe('networks of one group give a node the same host part'),
  domain: z.string(),
  vlan: z.number().int().nullable(),
  mtu: z.number().int().nullable(),
  conduit: z.string().describe('which NICs: `1g0`, `?10g0,?10g1`, `bmc`'),
  bondMode: z.enum(BOND_MODES).nullable(),
  bridge: z.boolean(),
  configure: z.boolean().describe('false: addresses are only recorded'),
  quarantineSeconds: count,
  ranges: z.array(networkRange),
  routers: z.array(router),
  revision: count,
  createdAt: at,
});
export type Network = z.output<typeof network>;

export const networkParams = z.object({ network: ref });

const fields = {
  description: description.optional(),
  category: z.enum(NETWORK_CATEGORIES).optional(),
  group: z.string().max(63).optional(),
  domain: z.string().max(253).optional(),
  vlan: wholeFrom(1, 4094).nullable().optional(),
  mtu: wholeFrom(576, 65_535).nullable().optional(),
  conduit: z.string().max(120).optional(),
  bondMode: z.enum(BOND_MODES).nullable().optional(),
  bridge: z.boolean().optional(),
  configure: z.boolean().optional(),
  quarantineSeconds: wholeFrom(0, 31_536_000).optional(),
};
export const newNetworkRange = z.strictObject({
  name,
  kind: kind.optional(),
  subnet,
  first: address,
  last: address,
});
export const newRouter = z.strictObject({
  address,
  pref: z.number().int().min(0).max(32_767).optional(),
});

export const network_list = defineOperation({
  id: 'network_list',
  method: 'GET',
  path: '/networks',
  summary: 'Networks with their ranges, routers and how full they are',
  access: 'viewer',
  query: z.object(pageQuery),
  answer: pageOf(network),
});

export const network_create = defineOperation({
  id: 'network_create',
  method: 'POST',
  path: '/networks',
  summary: 'Make a network with its ranges and routers; every mistake is named at once',
  access: 'operator',
  body: z.strictObject({
    name,
    ...fields,
    ranges: z.array(newNetworkRange).max(64).optional(),
    routers: z.array(newRouter).max(8).optional(),
  }),
  answer: network,
  status: 201,
  idempotent: true,
});

export const network_get = defineOperation({
  id: 'network_get',
  method: 'GET',
  path: '/networks/:network',
  summary: 'One network',
  access: 'viewer',
  params: networkParams,
  answer: network,
});

export const network_patch = defineOperation({
  id: 'network_patch',
  method: 'PATCH',
  path: '/networks/:network',
  summary: 'Change a network; nodes in it get their boot data anew',
  access: 'operator',
  params: networkParams,
  body: z.strictObject({ name: name.optional(), ...fields }),
  answer: network,
  ifMatch: true,
});

export const network_delete = defineOperation({
  id: 'network_delete',
  method: 'DELETE',
  path: '/networks/:network',
  summary: 'Delete a network; refused while addresses of it are held or reserved',
  access: 'operator',
  params: networkParams,
  status: 204,
  ifMatch: true,
});
