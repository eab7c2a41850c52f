/**
 * Roles that a barclamp no longer has. One that nothing ever named is deleted; any other is kept,
 * marked as removed, so that history can still name it and what is bound goes on.
 */
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';

export interface DroppedRole {
  readonly role: string;
  /** Why it is still there, or null: it has gone. */
  readonly kept: string | null;
}

interface Row {
  readonly id: number;
  readonly name: string;
  readonly noderoles: number;
  readonly named: boolean;
}

export const dropRoles = async (
  tx: Tx,
  options: { readonly barclampId: number; readonly keep: readonly string[] },
): Promise<DroppedRole[]> => {
  const { rows } = await sql<Row>`
    select r.id, r.name, (select count(*)::int from noderole w where w.role_id = r.id) as noderoles,
           exists (select from binding b where b.role_id = r.id) or exists (select from deployment_role d where d.role_id = r.id) as named
    from role r where r.barclamp_id = ${options.barclampId} and r.removed_at is null and not r.name = any(${[...options.keep]}::text[])
    order by r.name`.execute(tx);
  const gone = rows.filter((row) => row.noderoles === 0 && !row.named);
  await sql`delete from role where id = any(${gone.map((row) => row.id)}::bigint[])`.execute(tx);
  const kept = rows.filter((row) => !gone.includes(row));
  await sql`
    update role set removed_at = now(), revision = revision + 1 where id = any(${kept.map((row) => row.id)}::bigint[])`.execute(
    tx,
  );
  return rows.map((row) => ({
    role: row.name,
    kept: gone.includes(row)
      ? null
      : row.noderoles > 0
        ? `${row.noderoles} noderoles still use it; it cannot be bound anew`
        : 'snapshots name it; it cannot be bound anew',
  }));
};
