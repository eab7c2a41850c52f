/** Machines with BMCs in a lab, switched on; each node is given its BMC as soon as it is known. */
import { findNodeByUuid } from '@hostwright/boot';
import {
  listHammers,
  putHammer,
  putSecret,
  type Database,
  type Log,
  type MasterKey,
} from '@hostwright/engine';
import { startBmc, type LabBmc, type LabMachine } from '@hostwright/providers';
import type { Lab } from './start-lab.ts';

const SECRET = 'lab-bmc';
const ACTOR = 'hostwright lab';
const LOOK_MS = 2000;

export interface PoweredRack {
  stop(): Promise<void>;
}

interface Powered {
  readonly machine: LabMachine;
  readonly bmc: LabBmc;
}

export const powerRack = async (options: {
  readonly lab: Lab;
  readonly database: Database;
  readonly master: MasterKey;
  readonly log: Log;
  readonly machines: number;
  readonly memory: number;
  readonly say: (line: string) => void;
}): Promise<PoweredRack> => {
  const { lab, database, log, master } = options;
  const { db } = database;
  const rack: Powered[] = [];

  const giveBmc = async ({ machine, bmc }: Powered): Promise<void> => {
    const node = await findNodeByUuid(db, machine.uuid);
    if (node === undefined) return;
    if ((await listHammers(db, node)).some((hammer) => hammer.kind === 'ipmi')) return;
    const endpoint = `127.0.0.1:${bmc.port}`;
    await putHammer(db, {
      node,
      kind: 'ipmi',
      endpoint,
      username: bmc.username,
      secret: SECRET,
      config: { cipherSuite: 3 },
      actor: ACTOR,
    });
  };

  for (let number = 1; number <= options.machines; number++) {
    const machine = await lab.machine({ name: `machine${number}`, number, memory: options.memory });
    const bmc = await startBmc(machine);
    if (number === 1)
      await putSecret(db, { name: SECRET, value: bmc.password, master, actor: ACTOR });
    rack.push({ machine, bmc });
    await machine.start();
    options.say(
      `${machine.name}: ${machine.macs[0] ?? ''}, BMC 127.0.0.1:${bmc.port} (${bmc.username}), console ${machine.folder}/console.log`,
    );
  }
  let working = Promise.resolve();
  const looking = setInterval(() => {
    working = working
      .then(async () => {
        for (const powered of rack) await giveBmc(powered);
        await lab.feed();
      })
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the rack could not be looked after; trying again'),
      );
  }, LOOK_MS);
  return {
    stop: async () => {
      clearInterval(looking);
      await working;
      for (const { bmc } of rack) await bmc.stop();
    },
  };
};
