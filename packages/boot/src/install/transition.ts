/**
 * The role `provisioner-os-install`: boot services acknowledge -> node not alive -> power -> installer
 * -> installed system calls back. Each call reads the row and does the next step; between steps the
 * run waits and holds no worker (B7). Who calls, how often, and after which crash does not matter.
 */
import {
  transaction,
  setNodeAlive,
  type Database,
  type Evidence,
  type Outcome,
  type RunHandle,
} from '@hostwright/engine';
import { missingAcks, readAcks, refusedAcks, tellRefused } from '../feed/acks.ts';
import { recordBootEvent } from '../recorder/record.ts';
import { beginInstall } from './begin.ts';
import { cleanUpInstall } from './end.ts';
import type { Phase } from './phase.ts';
import type { InstallPlan } from './plan.ts';
import { setPhase } from './set-phase.ts';
import { INSTALL_EVIDENCE } from './tell-run.ts';

export type Restart =
  | { readonly ok: true; readonly how: string; readonly notes: readonly string[] }
  | { readonly ok: false; readonly reasons: readonly string[] };

export interface InstallDeps {
  readonly database: Database;
  /** Makes the machine boot from the network now; says so only when it was seen to. */
  readonly restart: (handle: RunHandle) => Promise<Restart>;
}

interface Row {
  readonly phase: Phase;
  readonly deadline: Date;
  readonly error: string | null;
  readonly plan: InstallPlan;
}

/** The engine's own deadline is the net below ours, which can name the phase. */
const NET_MS = 120_000;

export const osInstallTransition = ({ database, restart }: InstallDeps) => {
  const { db } = database;

  const read = async (handle: RunHandle): Promise<Row | undefined> => {
    const row = await db
      .selectFrom('os_install')
      .select(['phase', 'phase_deadline as deadline', 'error', 'plan'])
      .where('run_id', '=', handle.runId)
      .executeTakeFirst();
    // the check constraint holds the phases; makeInstallPlan made the plan
    return row === undefined
      ? undefined
      : { ...row, phase: row.phase as Phase, plan: row.plan as InstallPlan };
  };

  const fail = async (
    handle: RunHandle,
    reason: string,
    blame: 'node' | 'operator',
  ): Promise<Outcome> => {
    await transaction(db, async (tx) => {
      await setPhase(tx, {
        runId: handle.runId,
        from: ['acks', 'power', 'boot', 'installing', 'restart'],
        to: 'failed',
        error: reason,
      });
      await cleanUpInstall(tx, { nodeId: handle.node.id, runId: handle.runId, reason });
    });
    return { kind: 'failed', reason, retryable: false, blame };
  };

  const powerUp = async (handle: RunHandle): Promise<Outcome | 'again'> => {
    await handle.expectReboot();
    await transaction(db, (tx) =>
      setNodeAlive(tx, {
        nodeId: handle.node.id,
        alive: false,
        reason: 'an operating system is being installed',
        hold: true,
      }),
    );
    const restarted = await restart(handle);
    const text = restarted.ok
      ? `reset: ${restarted.how}`
      : `refused: ${restarted.reasons.join('; ')}`;
    await transaction(db, (tx) =>
      recordBootEvent(tx, { nodeId: handle.node.id, kind: 'power', text }),
    );
    handle.log(text);
    if (!restarted.ok)
      return fail(
        handle,
        `the machine could not be restarted: ${restarted.reasons.join('; ')}`,
        'node',
      );
    // it may have fetched its installer by now: then the phase has moved on by itself
    await transaction(db, (tx) =>
      setPhase(tx, { runId: handle.runId, from: ['power'], to: 'boot' }),
    );
    return 'again';
  };

  const step = async (handle: RunHandle): Promise<Outcome | 'again'> => {
    const row = await read(handle);
    if (row === undefined) {
      const begun = await beginInstall(db, handle);
      if (begun.ok) return 'again';
      return {
        kind: 'failed',
        reason: begun.refusals.map((refusal) => `${refusal.path}: ${refusal.message}`).join('; '),
        retryable: false,
        blame: 'operator',
      };
    }
    const waiting: Outcome = {
      kind: 'waiting',
      evidence: INSTALL_EVIDENCE,
      deadline: new Date(row.deadline.getTime() + NET_MS),
    };
    switch (row.phase) {
      case 'acks': {
        const acks = await readAcks(db, handle.node.id);
        const refused = refusedAcks(acks);
        // a server without the node's data would let it boot with another address, or none
        if (refused.length > 0)
          return fail(
            handle,
            `nothing was done to the machine: ${tellRefused(handle.node.name, refused)}`,
            'operator',
          );
        if (missingAcks(acks).length > 0) return waiting;
        await transaction(db, (tx) =>
          setPhase(tx, { runId: handle.runId, from: ['acks'], to: 'power' }),
        );
        return 'again';
      }
      case 'power':
        return powerUp(handle);
      case 'boot':
      case 'installing':
      case 'restart':
        return waiting;
      case 'done':
        return {
          kind: 'succeeded',
          wall:
            row.plan.kind === 'erase'
              ? { erase: { erased: row.plan.disks.map((disk) => disk.serial) } }
              : {
                  os_install: {
                    installed: {
                      os: row.plan.os,
                      hostname: row.plan.hostname,
                      disks: row.plan.disks.map((disk) => disk.serial),
                    },
                  },
                },
        };
      case 'failed':
        return fail(handle, row.error ?? 'the installation failed', 'node');
      default:
        throw new Error(`unknown phase ${String(row.phase)}`);
    }
  };

  return async (handle: RunHandle, _evidence?: Evidence): Promise<Outcome> => {
    for (;;) {
      const outcome = await step(handle);
      if (outcome !== 'again') return outcome;
    }
  };
};
