import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { hashToken } from './node-token.ts';

interface JoinToken {
  readonly id: number;
  readonly name: string;
}

/** Which boot a token was given to; null node: a machine that nobody knew. */
export interface BootOfToken {
  readonly nodeId: number | null;
}

/** A token that could be used now. Undefined: unknown, expired, revoked or used up. */
export const readJoinToken = async (
  tx: Tx,
  token: string,
): Promise<
  (JoinToken & { readonly limited: boolean; readonly boot: BootOfToken | null }) | undefined
> => {
  const found = await sql<JoinToken & { limited: boolean; boot: BootOfToken | null }>`
    select id, name, uses_left is not null as limited,
      (select jsonb_build_object('nodeId', i.node_id) from boot_intent i where i.id = boot_intent_id) as boot
    from token
    where hash = ${hashToken(token)} and kind = 'join' and revoked_at is null
      and (expires_at is null or expires_at > now())
      and (uses_left is null or uses_left > 0)`.execute(tx);
  return found.rows[0];
};

/**
 * Takes one use of a join token, in the transaction of the join: if that fails, the use is given
 * back. Undefined: unknown, expired, revoked or used up - the caller does not learn which.
 * A token without a limit is only read; one with a limit is taken last, because its row is locked
 * until the commit: taken first, 1,000 joins queued behind each other at 14 a second.
 */
export const takeJoinToken = async (tx: Tx, token: string): Promise<JoinToken | undefined> => {
  const row = await readJoinToken(tx, token);
  if (row === undefined || !row.limited) return row;
  const taken = await sql<JoinToken>`
    update token set uses_left = uses_left - 1, last_used_at = now()
    where id = ${row.id} and uses_left > 0 returning id, name`.execute(tx);
  return taken.rows[0];
};
