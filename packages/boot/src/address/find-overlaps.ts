/**
 * Ranges of other networks that a range would share addresses with, by name. The database refuses them
 * too (network_range_no_overlap), but cannot say which; it decides if two are made at once.
 */
import type { Refusal } from '@hostwright/core';
import type { Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import type { RangeSpec } from './create-network.ts';

export const findOverlaps = async (
  tx: Tx,
  options: {
    /** Checked ones: their addresses are addresses. */
    readonly ranges: readonly RangeSpec[];
    /** Whose they are: they were compared with each other before. */
    readonly network: string;
  },
): Promise<readonly Refusal[]> => {
  const { ranges } = options;
  const { rows } = await sql<{
    index: number;
    network: string;
    range: string;
    first: string;
    last: string;
  }>`
    select given.index::int - 1 as index, n.name as network, r.name as range, host(r.first) as first, host(r.last) as last
    from unnest(${ranges.map((range) => range.first)}::inet[], ${ranges.map((range) => range.last)}::inet[])
      with ordinality as given(first, last, index)
    join network_range r on family(r.first) = family(given.first) and r.first <= given.last and given.first <= r.last
    join network n on n.id = r.network_id
    where n.name <> ${options.network}
    order by given.index, r.first limit 10`.execute(tx);
  return rows.map(({ index, network, range, first, last }) => ({
    code: 'conflict',
    path: `ranges/${index}`,
    message: `range ${ranges[index]?.name} overlaps range ${range} of network ${network} (${first} to ${last})`,
  }));
};
