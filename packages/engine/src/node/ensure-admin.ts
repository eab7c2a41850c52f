/** The node that runs Hostwright itself: there is exactly one, made at bootstrap. */
import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import { PAIR_LOCKS } from '../db/locks.ts';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { insertNodes } from './create.ts';
import { readNodes, type NodeRecord } from './find.ts';
import { chooseName, freeName } from './name.ts';
import { bindSystemRoles } from '../binding/bind-system-roles.ts';

export const ensureAdminNode = async (
  db: Db,
  options: { readonly hostname: string; readonly actor: string },
): Promise<NodeRecord> =>
  transaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${PAIR_LOCKS.adminNode}::int, 0)`.execute(tx);
    const there = await tx
      .selectFrom('node')
      .select('id')
      .where('admin', '=', true)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    if (there !== undefined) {
      // A newer barclamp may have brought bootstrap roles.
      await bindSystemRoles(tx, { nodeIds: [there.id] });
      const [node] = await readNodes(tx, [there.id]);
      if (node !== undefined) return node;
    }
    const name = await freeName(tx, chooseName(options.hostname, []).replace(/^machine$/, 'admin'));
    const created = await insertNodes(tx, { nodes: [{ name, admin: true }], actor: options.actor });
    const node = created.ok ? created.nodes[0] : undefined;
    if (node === undefined) throw new HostwrightError('internal');
    return node;
  });
