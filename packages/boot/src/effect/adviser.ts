/** What the metal part tells of a plan, and does in its commit. */
import type { PlanAdviser } from '@hostwright/engine';
import { giveAddresses, tellAddresses } from './tell-addresses.ts';
import { tellInstalls } from './tell-install.ts';

export const bootAdviser: PlanAdviser = {
  advise: async (db, question) => {
    const installs = await tellInstalls(db, question);
    const addresses = await tellAddresses(db, question);
    return { effects: [...installs.effects, ...addresses], disks: installs.disks };
  },
  carryOut: giveAddresses,
};
