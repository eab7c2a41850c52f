/**
 * Which disks a consent for a noderole names: those that would be erased now, as a commit names those
 * of its plan. Whoever gives leave names exactly these. Undefined: the role erases no disks.
 */
import { HostwrightError } from '@hostwright/core';
import type { Db } from '@hostwright/engine';
import { INSTALL_ROLE } from '../effect/foresee-install.ts';
import { ERASE_ROLE } from '../install/plan-erase.ts';
import { checkNamed, planReinstall } from './reinstall.ts';

export const nameDisks = async (
  db: Db,
  noderole: { readonly node: string; readonly role: string },
  named: readonly string[] = [],
): Promise<readonly string[] | undefined> => {
  if (noderole.role !== INSTALL_ROLE && noderole.role !== ERASE_ROLE) return undefined;
  const plan = await planReinstall(db, noderole);
  const refusals = plan.disks.length === 0 ? plan.refusals : checkNamed(plan.disks, named);
  if (refusals.length > 0) throw new HostwrightError('refused', { refusals });
  return plan.disks.map((disk) => disk.serial ?? disk.name);
};
