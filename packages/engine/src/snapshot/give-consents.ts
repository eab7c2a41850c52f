/**
 * Consents given with a commit: for what its plan calls destructive, by role, node and disks. Leave for
 * what failed is the wish to try it again.
 */
import { HostwrightError, sayConsent, type PlanDestructive, type Refusal } from '@hostwright/core';
import { resolveInputs } from '../attribs/resolve-inputs.ts';
import { grantConsents } from '../consent/grant-consent.ts';
import type { Tx } from '../db/open.ts';
import { requestRuns } from '../noderole/request-runs.ts';
import { bindingKey } from './advise.ts';
import type { LoadedPlan } from './load-plan.ts';

export interface ConsentGiven {
  readonly role: string | number;
  readonly node: string | number;
  readonly disks: readonly string[];
}

/** Where the plan knows the disks, whoever gives leave has read and named them; the refusal says how. */
const checkDisks = (
  item: PlanDestructive,
  named: readonly string[],
  path: string,
): readonly Refusal[] => {
  const unnamed = item.disks.filter(
    (disk) => !named.includes(disk.name) && (disk.serial === null || !named.includes(disk.serial)),
  );
  return unnamed.map((disk) => ({
    code: 'wrong_disk',
    path,
    message: `${item.role} on ${item.node} erases ${disk.name} (${disk.serial ?? 'no serial'}), which the consent does not name; if it may be lost, say ${sayConsent(item)}`,
  }));
};

export const giveConsents = async (
  tx: Tx,
  {
    plan,
    options,
  }: {
    readonly plan: LoadedPlan;
    readonly options: {
      readonly actor: string;
      readonly consent?: readonly ConsentGiven[] | undefined;
    };
  },
  idOf: (bound: { roleId: number; nodeId: number }) => number | undefined,
): Promise<void> => {
  if (options.consent === undefined || options.consent.length === 0) return;
  const chosen = options.consent.map((consent, index) => {
    const item = plan.result.destructive.find(
      (candidate) =>
        (consent.role === candidate.role || Number(consent.role) === candidate.roleId) &&
        (consent.node === candidate.node || Number(consent.node) === candidate.nodeId),
    );
    const id = item === undefined ? undefined : idOf(item);
    if (item === undefined || id === undefined)
      throw new HostwrightError('refused', {
        refusals: [
          {
            code: 'not_destructive',
            path: `consent.${index}`,
            message: `nothing destructive in this plan is ${String(consent.role)} on ${String(consent.node)}`,
          },
        ],
      });
    const failed = plan.result.standingAt(item)?.state === 'error';
    if (!plan.exact.has(bindingKey(item))) return { id, failed, disks: consent.disks };
    const refusals = checkDisks(item, consent.disks, `consent.${index}.disks`);
    if (refusals.length > 0) throw new HostwrightError('refused', { refusals });
    return { id, failed, disks: item.disks.map((disk) => disk.serial ?? disk.name) };
  });
  const inputs = await resolveInputs(
    tx,
    chosen.map(({ id }) => id),
  );
  await grantConsents(tx, {
    consents: chosen.map(({ id, disks }) => ({
      noderoleId: id,
      inputHash: inputs.get(id)?.inputHash ?? '',
      disks,
      planHash: plan.hash,
    })),
    actor: options.actor,
  });
  const again = chosen.flatMap(({ id, failed }) => (failed ? [id] : []));
  await requestRuns(tx, {
    noderoleIds: again,
    cause: `consent of ${options.actor}`,
    actor: options.actor,
    destructiveToo: again,
  });
};
