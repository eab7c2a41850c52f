/** What the metal part tells of a plan, and does in its commit. */
import type { PlanAdviser } from '@hostwright/engine';
import { withdrawLeave } from '../action/ask-erase.ts';
import { ERASE_ROLE } from '../install/plan-erase.ts';
import { giveAddresses, tellAddresses } from './tell-addresses.ts';
import { tellInstalls } from './tell-install.ts';

export const bootAdviser: PlanAdviser = {
  advise: async (db, question) => {
    const installs = await tellInstalls(db, question);
    const addresses = await tellAddresses(db, question);
    return { effects: [...installs.effects, ...addresses], disks: installs.disks };
  },
  carryOut: async (tx, question) => {
    await giveAddresses(tx, question);
    // a machine that was given back and is bound again is in use: it is not erased when it is next switched on
    const taken = question.add.filter((item) => item.role !== ERASE_ROLE);
    if (taken.length > 0)
      await withdrawLeave(tx, { nodeIds: taken.map((item) => item.nodeId), only: 'released' });
  },
};
