/**
 * The role `network-addresses`: what the commit has given is there, what is missing is given now, the
 * NICs are decided about, and the result is what `network-interfaces` configures.
 */
import { transaction, type Database, type Outcome, type RunHandle } from '@hostwright/engine';
import { sql } from 'kysely';
import { allocateAddress } from '../address/allocate.ts';
import { readAddressWishes } from '../address/read-wishes.ts';
import { writeLinkLines } from './write-lines.ts';

const failed = (reasons: readonly string[]): Outcome => ({
  kind: 'failed',
  reason: reasons.join('; '),
  retryable: false,
  blame: 'operator',
});

export const networkAddressesTransition =
  ({ db }: Database) =>
  async (handle: RunHandle): Promise<Outcome> =>
    transaction(db, async (tx) => {
      const reasons: string[] = [];
      for (const wish of readAddressWishes(handle.attribs)) {
        const { rows } = await sql<{ id: number }>`
          select r.id from network_range r join network w on w.id = r.network_id
          where w.name = ${wish.network} and r.name = ${wish.range}`.execute(tx);
        const [range] = rows;
        if (range === undefined) {
          reasons.push(`there is no range ${wish.network}/${wish.range}`);
          continue;
        }
        const given = await allocateAddress(tx, {
          nodeId: handle.node.id,
          rangeId: range.id,
          ...(wish.address !== undefined && { hint: wish.address }),
        });
        if (given.ok) handle.log(`${wish.network}: ${given.allocation.address}`);
        else reasons.push(...given.refusals.map((refusal) => refusal.message));
      }
      const made = await writeLinkLines(tx, handle.node.id);
      if (!made.ok) reasons.push(...made.reasons);
      if (reasons.length > 0 || !made.ok) return failed(reasons);
      for (const line of made.lines) handle.log(line);
      return { kind: 'succeeded', wall: { network: { links: made.lines.join('\n') } } };
    });
