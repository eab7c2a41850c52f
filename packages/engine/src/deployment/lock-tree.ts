/**
 * Commits read noderoles of other deployments (parents up the tree, what else stands on a node), so
 * two of them must not pass each other: each takes this lock for as long as its transaction lasts.
 * Binding discovery roles to a new machine shares it: such noderoles lean on nothing that another
 * such binding makes, and a thousand machines must not queue behind each other.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';

const TREE = 7_205_760; // any number, the same in every process

export const lockTree = async (tx: Tx, mode: 'alone' | 'shared'): Promise<void> => {
  if (mode === 'alone') await sql`select pg_advisory_xact_lock(${TREE}::int, 0)`.execute(tx);
  else await sql`select pg_advisory_xact_lock_shared(${TREE}::int, 0)`.execute(tx);
};
