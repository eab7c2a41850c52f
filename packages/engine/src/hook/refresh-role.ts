/** A refresh of a role wherever it is active (or on some nodes): many requests make one run. */
import type { Tx } from '../db/open.ts';
import { requestRefresh } from '../noderole/request-refresh.ts';

export const refreshRole = async (
  tx: Tx,
  options: {
    readonly role: string;
    readonly nodeIds?: readonly number[];
    readonly cause: string;
  },
): Promise<number> => {
  let query = tx
    .selectFrom('noderole')
    .innerJoin('role', 'role.id', 'noderole.role_id')
    .select('noderole.id')
    .where('role.name', '=', options.role)
    .orderBy('noderole.id');
  if (options.nodeIds !== undefined)
    query = query.where('noderole.node_id', '=', (row) =>
      row.fn.any(row.val([...(options.nodeIds ?? [])])),
    );
  const rows = await query.execute();
  if (rows.length > 0)
    await requestRefresh(tx, { noderoleIds: rows.map((row) => row.id), cause: options.cause });
  return rows.length;
};
