/** The IPv4 subnets that DHCP serves, with their pools, router and domain. */
import type { Db } from '@hostwright/engine';
import { sql } from 'kysely';

export interface DhcpSubnet {
  /** Stays the same while the subnet has a range: Kea knows the subnet by it. */
  readonly id: number;
  readonly subnet: string;
  readonly domain: string;
  readonly router: string | null;
  readonly pools: readonly { readonly first: string; readonly last: string }[];
}

export const readDhcpSubnets = async (db: Db): Promise<readonly DhcpSubnet[]> => {
  const { rows } = await sql<DhcpSubnet>`
    select min(r.id) as id, r.subnet::text as subnet, min(n.domain) as domain,
      (select host(t.address) from router t where t.network_id = min(r.network_id) and t.address <<= r.subnet) as router,
      coalesce(jsonb_agg(jsonb_build_object('first', host(r.first), 'last', host(r.last)) order by r.id)
        filter (where r.kind = 'dhcp'), '[]') as pools
    from network_range r join network n on n.id = r.network_id
    where family(r.first) = 4 and n.category <> 'bmc'
    group by r.subnet order by 1`.execute(db);
  return rows;
};
