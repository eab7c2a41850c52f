import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import {
  at,
  id,
  idParam,
  listOf,
  pageOf,
  pageQuery,
  queryNumber,
  ref,
  refOrId,
} from '../schema.ts';

export const ALLOCATION_STATES = ['held', 'reserved', 'quarantined'] as const;

export const allocation = z.object({
  id,
  address: z.string(),
  networkId: id,
  network: z.string(),
  rangeId: id,
  range: z.string(),
  nodeId: id.nullable(),
  node: z.string().nullable(),
  state: z.enum(ALLOCATION_STATES),
  note: z.string().describe('whom a reservation is for'),
  names: z.array(z.string()).describe('DNS names that the filters give it'),
  createdAt: at,
  releasedAt: at.nullable(),
  quarantineUntil: at.nullable(),
});
export type Allocation = z.output<typeof allocation>;

const rangeParams = z.object({ network: ref, range: ref });
const address = z.string().min(2).max(45);

export const allocation_list = defineOperation({
  id: 'allocation_list',
  method: 'GET',
  path: '/allocations',
  summary: 'Addresses in use, reserved or in quarantine, by address, page by page',
  access: 'viewer',
  query: z.object({
    ...pageQuery,
    network: ref.optional(),
    range: z.string().max(63).optional().describe('name of a range; with `network`'),
    node: ref.optional(),
    state: listOf(z.enum(ALLOCATION_STATES)).optional(),
    q: z.string().max(64).optional().describe('beginning of the address, or part of node or note'),
  }),
  answer: pageOf(allocation),
});

export const allocation_get = defineOperation({
  id: 'allocation_get',
  method: 'GET',
  path: '/allocations/:allocation',
  summary: 'One address',
  access: 'viewer',
  params: z.object({ allocation: idParam }),
  answer: allocation,
});

export const allocation_create = defineOperation({
  id: 'allocation_create',
  method: 'POST',
  path: '/networks/:network/ranges/:range/allocations',
  summary: 'Give a node an address of this range; asking again gives the one it has',
  access: 'operator',
  params: rangeParams,
  body: z.strictObject({
    node: refOrId,
    address: address.optional().describe('exactly this one or a refusal'),
  }),
  answer: z.object({
    allocation,
    why: z.string().describe('how the address was chosen'),
    fresh: z.boolean().describe('false: the node had it already'),
  }),
  status: 201,
  idempotent: true,
});

export const allocation_reserve = defineOperation({
  id: 'allocation_reserve',
  method: 'POST',
  path: '/networks/:network/ranges/:range/reservations',
  summary: 'Take an address out of circulation for something that is no node',
  access: 'operator',
  params: rangeParams,
  body: z.strictObject({ address, note: z.string().min(1).max(255) }),
  answer: allocation,
  status: 201,
  idempotent: true,
});

export const allocation_release = defineOperation({
  id: 'allocation_release',
  method: 'DELETE',
  path: '/allocations/:allocation',
  summary: 'Give an address back: nobody gets it before its quarantine is over',
  access: 'operator',
  params: z.object({ allocation: idParam }),
  query: z.object({
    quarantine: queryNumber(0, 31_536_000)
      .optional()
      .describe('seconds, instead of what the network says; 0 frees it now, quarantined ones too'),
  }),
  answer: z.object({ address: z.string(), quarantineUntil: at.nullable() }),
});

/** Where a network is put on a machine: which NICs, and what is made of them. */
export const nodeLink = z.object({
  networkId: id,
  network: z.string(),
  conduit: z.string(),
  vlan: z.number().int().nullable(),
  bondMode: z.string().nullable(),
  bridge: z.string().nullable(),
  members: z.array(
    z.object({
      mac: z.string(),
      name: z.string().describe('as the machine calls it'),
      megabits: z.number().int(),
      carrier: z.boolean().nullable(),
      switch: z.string().describe('LLDP neighbour, if it was heard'),
    }),
  ),
  error: z.string().nullable().describe('why the conduit does not fit this machine'),
});

export const allocation_node = defineOperation({
  id: 'allocation_node',
  method: 'GET',
  path: '/nodes/:node/networks',
  summary: "A node's addresses, and how each of its networks is put on its NICs",
  access: 'viewer',
  params: z.object({ node: ref }),
  answer: z.object({ addresses: z.array(allocation), links: z.array(nodeLink) }),
});
