/**
 * A word that an installation leaves on its disk, and GRUB from the network looks for: on a machine
 * with several systems it is told which of them was installed last. No secret, and of this database
 * only: another one may have numbered its runs alike.
 */
import type { Tx } from '@hostwright/engine';
import { sql, type RawBuilder } from 'kysely';

const MARK = sql`left(md5(run_id || ' ' || extract(epoch from created_at)), 16)`;

const read = async (tx: Tx, which: RawBuilder<unknown>): Promise<string | null> => {
  const { rows } = await sql<{
    mark: string;
  }>`select ${MARK} as mark from os_install where ${which}`.execute(tx);
  return rows[0]?.mark ?? null;
};

export const markOfRun = (tx: Tx, runId: number): Promise<string | null> =>
  read(tx, sql`run_id = ${runId}`);

/** Of the system that the node was given last; null: none by us. */
export const markOfNode = (tx: Tx, nodeId: number): Promise<string | null> =>
  read(
    tx,
    sql`node_id = ${nodeId} and phase in ('restart', 'done') and plan ->> 'kind' is distinct from 'erase' order by id desc limit 1`,
  );
