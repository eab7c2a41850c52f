/**
 * Over the node's agent: the task is offered and the worker is free again; the agent's result is
 * the evidence. However often a worker dies here, the task is offered once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AGENT_RESULT,
  cancelTask,
  isTaskOpen,
  offerTask,
  sealBundle,
  transaction,
  type Database,
  type MasterKey,
  type Outcome,
  type RunHandle,
} from '@hostwright/engine';

/** Longer than the runner's own grace: after that only the machine itself is slow. */
const CANCEL_WAIT_MS = 20_000;
const LOOK_MS = 100;

export interface AgentWay {
  offer(handle: RunHandle, tar: Buffer): Promise<Outcome>;
  cancel(handle: RunHandle): Promise<void>;
}

export const secondsLeft = (handle: RunHandle): number =>
  Math.max(1, Math.ceil((handle.deadline.getTime() - Date.now()) / 1000));

export const createAgentWay = (options: {
  readonly database: Database;
  readonly master: MasterKey;
}): AgentWay => {
  const { db } = options.database;
  return {
    offer: async (handle, tar) => {
      const sealed = sealBundle(options.master, {
        runId: handle.runId,
        tar,
        secrets: handle.secrets,
      });
      const offer = await transaction(db, (tx) =>
        offerTask(tx, {
          runId: handle.runId,
          token: handle.token,
          nodeId: handle.node.id,
          lane: handle.lane,
          timeoutSeconds: secondsLeft(handle),
          action: 'run',
          ...sealed,
        }),
      );
      if (offer === 'run not live') return { kind: 'cancelled' };
      return {
        kind: 'waiting',
        evidence: AGENT_RESULT,
        // the machine ends it itself at the deadline; its word may take a little to come
        deadline: new Date(handle.deadline.getTime() + 30_000),
        memo: { way: 'agent' },
      };
    },
    cancel: async (handle) => {
      const asked = await transaction(db, (tx) => cancelTask(tx, { runId: handle.runId }));
      if (asked === 'nothing there') return;
      const until = performance.now() + CANCEL_WAIT_MS;
      while (performance.now() < until) {
        if (!(await transaction(db, (tx) => isTaskOpen(tx, { runId: handle.runId })))) return;
        await sleep(LOOK_MS);
      }
    },
  };
};
