/**
 * Commits read noderoles of other deployments (parents up the tree, what else stands on a node), so
 * two of them must not pass each other: each takes this lock for as long as its transaction lasts.
 * Binding discovery roles to a new machine shares it: such noderoles lean on nothing that another
 * such binding makes, and a thousand machines must not queue behind each other.
 */
import { sql } from 'kysely';
import { PAIR_LOCKS } from '../db/locks.ts';
import type { Tx } from '../db/open.ts';

export const lockTree = async (tx: Tx, mode: 'alone' | 'shared'): Promise<void> => {
  if (mode === 'alone')
    await sql`select pg_advisory_xact_lock(${PAIR_LOCKS.tree}::int, 0)`.execute(tx);
  else await sql`select pg_advisory_xact_lock_shared(${PAIR_LOCKS.tree}::int, 0)`.execute(tx);
};
