import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import { checkEdits, lockProposal } from './read.ts';

const TABLES = ['binding', 'deployment_role', 'deployment_data'] as const;

/** Throws a proposal away: what it added goes, what it removed is there again. */
export const discardSnapshot = async (
  db: Db,
  options: {
    readonly snapshotId: number;
    readonly actor: string;
    readonly edits?: number | undefined;
  },
): Promise<void> =>
  transaction(db, async (tx) => {
    const snapshot = await lockProposal(tx, options.snapshotId);
    checkEdits(snapshot, options.edits);
    const at = sql`deployment_id = ${snapshot.deploymentId}`;
    for (const table of TABLES) {
      const name = sql.table(table);
      await sql`delete from ${name} where ${at} and added_revision = ${snapshot.revision}`.execute(
        tx,
      );
      // a node deleted meanwhile does not get its bindings back
      const there =
        table === 'binding'
          ? sql`exists (select from node n where n.id = node_id and n.deleted_at is null)`
          : sql`true`;
      await sql`update ${name} set removed_revision = null where ${at} and removed_revision = ${snapshot.revision} and ${there}`.execute(
        tx,
      );
    }
    await tx.deleteFrom('snapshot').where('id', '=', snapshot.id).execute();
    await emit(tx, {
      kind: 'snapshot.discarded',
      deploymentId: snapshot.deploymentId,
      payload: { snapshotId: snapshot.id, revision: snapshot.revision, actor: options.actor },
    });
  });
