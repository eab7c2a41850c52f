import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { at, description, id, pageOf, pageQuery, queryBoolean, ref } from '../schema.ts';

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

const params = z.object({ network: ref });
const rangeParams = z.object({ network: ref, range: ref });

const fields = {
  description: description.optional(),
  category: z.enum(NETWORK_CATEGORIES).optional(),
  group: z.string().max(63).optional(),
  domain: z.string().max(253).optional(),
  vlan: z.number().int().min(1).max(4094).nullable().optional(),
  mtu: z.number().int().min(576).max(65_535).nullable().optional(),
  conduit: z.string().max(120).optional(),
  bondMode: z.enum(BOND_MODES).nullable().optional(),
  bridge: z.boolean().optional(),
  configure: z.boolean().optional(),
  quarantineSeconds: z.number().int().min(0).max(31_536_000).optional(),
};
const newRange = z.strictObject({
  name,
  kind: kind.optional(),
  subnet,
  first: address,
  last: address,
});
const newRouter = z.strictObject({
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
    ranges: z.array(newRange).max(64).optional(),
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
  params,
  answer: network,
});

export const network_patch = defineOperation({
  id: 'network_patch',
  method: 'PATCH',
  path: '/networks/:network',
  summary: 'Change a network; nodes in it get their boot data anew',
  access: 'operator',
  params,
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
  params,
  status: 204,
  ifMatch: true,
});

export const network_range_create = defineOperation({
  id: 'network_range_create',
  method: 'POST',
  path: '/networks/:network/ranges',
  summary: 'Add a range',
  access: 'operator',
  params,
  body: newRange,
  answer: network,
  status: 201,
  ifMatch: true,
});

export const network_range_patch = defineOperation({
  id: 'network_range_patch',
  method: 'PATCH',
  path: '/networks/:network/ranges/:range',
  summary: 'Change a range; refused if an address in use would fall outside',
  access: 'operator',
  params: rangeParams,
  body: z.strictObject({
    name: name.optional(),
    kind: kind.optional(),
    subnet: subnet.optional(),
    first: address.optional(),
    last: address.optional(),
  }),
  answer: network,
  ifMatch: true,
});

export const network_range_delete = defineOperation({
  id: 'network_range_delete',
  method: 'DELETE',
  path: '/networks/:network/ranges/:range',
  summary: 'Take a range away; refused while addresses of it are held or reserved',
  access: 'operator',
  params: rangeParams,
  status: 204,
  ifMatch: true,
});

export const network_router_put = defineOperation({
  id: 'network_router_put',
  method: 'PUT',
  path: '/networks/:network/routers/:address',
  summary: 'Set a router; one per network and family, a new address replaces the old',
  access: 'operator',
  params: z.object({ network: ref, address }),
  body: z.strictObject({ pref: z.number().int().min(0).max(32_767).optional() }).optional(),
  answer: network,
  ifMatch: true,
});

export const network_router_delete = defineOperation({
  id: 'network_router_delete',
  method: 'DELETE',
  path: '/networks/:network/routers/:address',
  summary: 'Take a router away',
  access: 'operator',
  params: z.object({ network: ref, address }),
  status: 204,
  ifMatch: true,
});

/** Columns, not rows: entry i of `node`, `network`, `range`, `address` is about the same allocation. */
export const networkMatrix = z.object({
  position: z.string().describe('follow event_stream from here'),
  networks: z.array(
    z.object({
      id,
      name: z.string(),
      category: z.enum(NETWORK_CATEGORIES),
      vlan: z.number().int().nullable(),
      conduit: z.string(),
    }),
  ),
  ranges: z.array(z.object({ id, name: z.string(), network: count.describe('index') })),
  ids: z.array(count).describe('of the nodes, in the order of their names'),
  names: z.array(z.string()),
  allocation: z.array(count).describe('id of the allocation'),
  node: z.array(count).describe('index into `ids`'),
  network: z.array(count).describe('index into `networks`'),
  range: z.array(count).describe('index into `ranges`'),
  address: z.array(z.string()),
});
export type NetworkMatrix = z.output<typeof networkMatrix>;

export const network_matrix = defineOperation({
  id: 'network_matrix',
  method: 'GET',
  path: '/network-matrix',
  summary: 'Nodes x networks in a compact columnar form; with ETag',
  access: 'viewer',
  query: z.object({
    bare: queryBoolean.optional().describe('true: nodes without an address too (default)'),
  }),
  answer: networkMatrix,
});
