/** Machines with BMCs in a lab, switched on; each node is given its BMC as soon as it is known. */
import { findNodeByUuid } from '@hostwright/boot';
import {
  listHammers,
  needNode,
  putHammer,
  putSecret,
  setNodeAlive,
  transaction,
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
  readonly since: number;
  /** What was last said of it: a change is told once. */
  told: string;
}

export const powerRack = async (options: {
  readonly lab: Lab;
  readonly database: Database;
  readonly master: MasterKey;
  readonly log: Log;
  readonly machines: number;
  readonly memory: number;
  /** Each machine, as it is switched on. */
  readonly onMachine: (machine: LabMachine, bmc: LabBmc) => void;
  /** What became of it, in words. */
  readonly onProgress: (machine: LabMachine, text: string, seconds: number) => void;
}): Promise<PoweredRack> => {
  const { lab, database, log, master } = options;
  const { db } = database;
  const rack: Powered[] = [];

  /** A lab that is started again finds its nodes, but its BMCs answer on other ports now. */
  const giveBmc = async (nodeId: number, bmc: LabBmc): Promise<void> => {
    const endpoint = `127.0.0.1:${bmc.port}`;
    const known = (await listHammers(db, nodeId)).find((hammer) => hammer.kind === 'ipmi');
    if (known?.endpoint === endpoint) return;
    await putHammer(db, {
      node: nodeId,
      kind: 'ipmi',
      endpoint,
      username: bmc.username,
      secret: SECRET,
      config: { cipherSuite: 3 },
      actor: ACTOR,
    });
  };

  /** A machine that is switched on now was off before, whatever an earlier lab last heard of it. */
  const forgetAlive = async (machine: LabMachine): Promise<void> => {
    const nodeId = await findNodeByUuid(db, machine.uuid);
    if (nodeId === undefined) return;
    await transaction(db, (tx) =>
      setNodeAlive(tx, { nodeId, alive: false, reason: 'the lab was started', hold: false }),
    );
  };

  const look = async (powered: Powered): Promise<void> => {
    const { machine, bmc } = powered;
    const nodeId = await findNodeByUuid(db, machine.uuid);
    if (nodeId === undefined) return;
    await giveBmc(nodeId, bmc);
    const node = await needNode(db, nodeId);
    const text = node.alive
      ? `${node.name} is alive (boots ${node.bootenv})`
      : machine.isOn()
        ? `${node.name} is not alive yet`
        : `${node.name} is switched off`;
    if (text === powered.told) return;
    powered.told = text;
    options.onProgress(machine, text, (performance.now() - powered.since) / 1000);
  };

  for (let number = 1; number <= options.machines; number++) {
    const machine = await lab.machine({ name: `machine${number}`, number, memory: options.memory });
    const bmc = await startBmc(machine);
    if (number === 1)
      await putSecret(db, { name: SECRET, value: bmc.password, master, actor: ACTOR });
    await forgetAlive(machine);
    await machine.start();
    rack.push({ machine, bmc, since: performance.now(), told: '' });
    options.onMachine(machine, bmc);
  }
  let working = Promise.resolve();
  const looking = setInterval(() => {
    working = working
      .then(async () => {
        for (const powered of rack) await look(powered);
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
