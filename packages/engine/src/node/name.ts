/** What to call a machine nobody has named: its own host name if that is one, else its address. */
import { sql } from 'kysely';
import { PAIR_LOCKS } from '../db/locks.ts';
import type { Tx } from '../db/open.ts';
import { checkName } from './check.ts';

const NO_NAMES = new Set([
  'localhost',
  'localhost.localdomain',
  'debian',
  'ubuntu',
  'none',
  'unknown',
  'discovery',
]);

export const chooseName = (hostname: string | undefined, macs: readonly string[]): string => {
  const plain = hostname?.trim().toLowerCase() ?? '';
  if (plain !== '' && !NO_NAMES.has(plain) && checkName(plain).length === 0) return plain;
  return macs[0] === undefined ? 'machine' : `d${macs[0].replaceAll(':', '-')}`;
};

/** The name, or the name with the first number that makes it free. */
export const freeName = async (tx: Tx, name: string): Promise<string> => {
  // Two machines with one host name must not both see it as free.
  await sql`select pg_advisory_xact_lock(${PAIR_LOCKS.nodeName}::int, hashtext(${name}))`.execute(
    tx,
  );
  const short = name.slice(0, 240).replace(/[.-]+$/, '');
  const { rows } = await sql<{ taken: boolean; next: number }>`
    select exists (select 1 from node where node.name = ${name} and deleted_at is null) as taken,
      (select coalesce(max(substring(node.name from '-([0-9]{1,9})$')::bigint), 1) + 1 from node
       where deleted_at is null and starts_with(node.name, ${short} || '-') and node.name ~ '-[0-9]{1,9}$') as next`.execute(
    tx,
  );
  return rows[0]?.taken === true ? `${short}-${rows[0].next}` : name;
};
