import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';

/**
 * A run's attributes as it got them, stored once however many runs share them. In order of hash, so
 * that two claims that store the same ones cannot wait for each other.
 */
export const freezeAttribs = async (
  tx: Tx,
  inputs: readonly { readonly attribsHash: string; readonly attribs: object }[],
): Promise<void> => {
  const byHash = new Map(inputs.map((input) => [input.attribsHash, input.attribs]));
  const hashes = [...byHash.keys()].toSorted();
  await sql`
    insert into frozen_attribs (hash, attribs)
    select f.hash, f.attribs::jsonb from unnest(${hashes}::text[], ${hashes.map((hash) => JSON.stringify(byHash.get(hash)))}::text[]) as f(hash, attribs)
    where not exists (select from frozen_attribs known where known.hash = f.hash)
    order by f.hash
    on conflict do nothing`.execute(tx);
};
