/** What a commit does to addresses and names: told in the plan, done in the commit. */
import { HostwrightError, type PlanItem } from '@hostwright/core';
import type { Db, PlanEffect, PlanQuestion, Tx } from '@hostwright/engine';
import { allocateAddress } from '../address/allocate.ts';
import { foreseeAllocations, type ForeseeRequest, type Foreseen } from '../address/foresee.ts';
import { readAddressWishes } from '../address/read-wishes.ts';
import { readNameFilters } from '../name/read-filters.ts';
import { renderNames } from '../name/render-names.ts';

export const ADDRESS_ROLE = 'network-addresses';

interface Wanted {
  readonly request: ForeseeRequest;
  readonly foreseen: Foreseen;
}

const foresee = async (db: Db | Tx, question: PlanQuestion): Promise<readonly Wanted[]> => {
  const items: readonly PlanItem[] = [...question.add, ...question.rerun].filter(
    (item) => item.role === ADDRESS_ROLE,
  );
  if (items.length === 0) return [];
  const attribs = await question.attribs(items);
  const requests = items.flatMap((item, index) =>
    readAddressWishes(attribs[index] ?? {}).map((wish) => ({
      nodeId: item.nodeId,
      node: item.node,
      ...wish,
    })),
  );
  const foreseen = await foreseeAllocations(db, requests);
  return requests.flatMap((request, index) => {
    const one = foreseen[index];
    return one === undefined ? [] : [{ request, foreseen: one }];
  });
};

export const tellAddresses = async (
  db: Db | Tx,
  question: PlanQuestion,
): Promise<readonly PlanEffect[]> => {
  const wanted = await foresee(db, question);
  if (wanted.length === 0) return [];
  const filters = await readNameFilters(db);
  return wanted.flatMap(({ request, foreseen }): PlanEffect[] => {
    const place = `${request.network}/${request.range}`;
    const subject = request.node;
    if (!foreseen.ok)
      return [
        { kind: 'problem', subject, text: `gets no address in ${place}: ${foreseen.reason}` },
      ];
    if (foreseen.held)
      return [{ kind: 'address', subject, text: `keeps ${foreseen.address} in ${place}` }];
    // roles and labels of the node may add names; the commit itself does not change those
    const { names } = renderNames(filters, {
      node: {
        id: request.nodeId,
        name: request.node,
        mac: '',
        deployment: '',
        roles: [],
        labels: {},
      },
      network: { name: request.network, category: foreseen.category, domain: foreseen.domain },
      range: { name: request.range },
    });
    return [
      {
        kind: 'address',
        subject,
        text: `gets ${foreseen.address} in ${place} (${foreseen.why})`,
      },
      ...(names.length === 0
        ? []
        : [
            {
              kind: 'dns',
              subject,
              text: `${names.join(', ')} will name ${foreseen.address}; DHCP gives it to this machine`,
            },
          ]),
    ];
  });
};

/** Gives exactly what was told; what somebody else took meanwhile makes the plan an old one. */
export const giveAddresses = async (tx: Tx, question: PlanQuestion): Promise<void> => {
  for (const { request, foreseen } of await foresee(tx, question)) {
    if (!foreseen.ok || foreseen.held) continue;
    const given = await allocateAddress(tx, {
      nodeId: request.nodeId,
      rangeId: foreseen.rangeId,
      hint: foreseen.address,
    });
    if (!given.ok)
      throw new HostwrightError('plan_moved', {
        message: given.refusals.map((refusal) => refusal.message).join('; '),
        refusals: given.refusals,
      });
  }
};
