import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import type { Tx } from './open.ts';

/** Locked first, then compared: two who have read the same revision must not both win. */
export const lockRevision = async <Row extends { readonly id: number; readonly revision: number }>(
  tx: Tx,
  options: {
    readonly table: 'node_group' | 'webhook';
    readonly need: (tx: Tx, ref: string | number) => Promise<Row>;
    readonly ref: string | number;
    readonly revision?: number | undefined;
  },
): Promise<Row> => {
  const { id } = await options.need(tx, options.ref);
  await sql`select from ${sql.table(options.table)} where id = ${id} for update`.execute(tx);
  const row = await options.need(tx, id);
  if (options.revision !== undefined && options.revision !== row.revision)
    throw new HostwrightError('precondition_failed', { public: { revision: row.revision } });
  return row;
};
