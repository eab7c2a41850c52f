import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { id, queryBoolean } from '../schema.ts';
import { NETWORK_CATEGORIES } from './network.ts';

const count = z.number().int();

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
