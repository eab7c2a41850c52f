import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { queryBoolean } from '../schema.ts';
import { rollup } from './node.ts';

/**
 * Columns, not rows: entry i of each array is about the same node. Strings that repeat are
 * numbers into a dictionary. bits: 1 alive, 2 available, 4 admin, 8 degraded or drifted somewhere.
 */
export const fleet = z.object({
  /** This read includes every event up to here and none after it: follow event_stream from here. */
  position: z.string(),
  count: z.number().int(),
  rollups: z.array(rollup).describe('what the numbers in `rollup` mean'),
  deployments: z.array(
    z.object({ id: z.number().int(), name: z.string(), parentId: z.number().int().nullable() }),
  ),
  ids: z.array(z.number().int()),
  names: z.array(z.string()),
  rollup: z.array(z.number().int()),
  bits: z.array(z.number().int()),
  deployment: z.array(z.number().int()).describe('index into `deployments`'),
  /** Noderoles of each node by state: active, all. */
  active: z.array(z.number().int()),
  total: z.array(z.number().int()),
  /** Six numbers per node, in the order of NODEROLE_STATES: its noderoles by state, system ones too. */
  counts: z.array(z.number().int()),
  /** How many of its noderoles are outside the system deployment; 0 and not admin = undefined. */
  work: z.array(z.number().int()),
  /** One column per label key in use: dictionary and an index per node, -1 = not set. */
  labels: z.record(
    z.string(),
    z.object({ values: z.array(z.string()), index: z.array(z.number().int()) }),
  ),
});
export type Fleet = z.output<typeof fleet>;

export const FLEET_BITS = { alive: 1, available: 2, admin: 4, attention: 8 } as const;

export const fleet_get = defineOperation({
  id: 'fleet_get',
  method: 'GET',
  path: '/fleet',
  summary: 'Every node in a compact columnar form; with ETag',
  access: 'viewer',
  query: z.object({ labels: queryBoolean.optional().describe('false: without label columns') }),
  answer: fleet,
});
