/** What DHCP may hand out, per IPv4 range: pools for strangers and the ranges of known nodes. */
import type { Db } from '@hostwright/engine';
import { sql } from 'kysely';
import { netmask, readSubnet } from './number.ts';

export interface Pool {
  readonly first: string;
  readonly last: string;
  readonly netmask: string;
}

export const readPools = async (db: Db): Promise<readonly Pool[]> => {
  const rows = await db
    .selectFrom('network_range')
    .select([
      sql<string>`host(first)`.as('first'),
      sql<string>`host(last)`.as('last'),
      sql<string>`subnet::text`.as('subnet'),
    ])
    .where('kind', '=', 'dhcp')
    .where(sql<boolean>`family(first) = 4`)
    .orderBy('id')
    .execute();
  return rows.flatMap(({ first, last, subnet }) => {
    const read = readSubnet(subnet);
    return read === null ? [] : [{ first, last, netmask: netmask(read) }];
  });
};
