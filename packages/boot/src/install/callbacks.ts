/**
 * What an installer and an installed system may say. Each call proves itself with a token of this one
 * intent; each changes at most this one node; each can be repeated without harm.
 */
import { HostwrightError } from '@hostwright/core';
import { setNodeAlive, transaction, type Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import type { BootDeps } from '../boot/deps.ts';
import { issueToken, readToken, useToken, type TokenHolder } from '../intent/token.ts';
import { oneLine } from '../valid.ts';
import { recordBootEvent } from '../recorder/record.ts';
import { PHASE_SECONDS, type Phase } from './phase.ts';
import type { InstallPlan } from './plan.ts';
import { setPhase } from './set-phase.ts';
import { tellRun } from './tell-run.ts';

export interface LiveInstall {
  readonly runId: number;
  readonly nodeId: number;
  readonly intentId: number;
  readonly phase: Phase;
  readonly plan: InstallPlan;
  readonly wipeGranted: boolean;
  readonly bootEpoch: number;
}

const holderOf = async (
  tx: Tx,
  token: string,
  purpose: 'installer' | 'os',
): Promise<TokenHolder & { runId: number; nodeId: number }> => {
  const holder = await readToken(tx, token, purpose);
  if (holder === null) throw new HostwrightError('unauthenticated');
  if (holder.expired || holder.runId === null || holder.nodeId === null)
    throw new HostwrightError('stale_token');
  return { ...holder, runId: holder.runId, nodeId: holder.nodeId };
};

export const readInstall = async (
  tx: Tx,
  token: string,
  purpose: 'installer' | 'os' = 'installer',
): Promise<LiveInstall> => {
  const holder = await holderOf(tx, token, purpose);
  const row = await tx
    .selectFrom('os_install')
    .innerJoin('run', 'run.id', 'os_install.run_id')
    .select([
      'os_install.phase',
      'os_install.plan',
      'os_install.wipe_granted_at',
      'os_install.boot_epoch',
      'run.status',
    ])
    .where('os_install.run_id', '=', holder.runId)
    .forUpdate('os_install')
    .executeTakeFirst();
  if (row === undefined || !['running', 'waiting'].includes(row.status))
    throw new HostwrightError('stale_token');
  return {
    runId: holder.runId,
    nodeId: holder.nodeId,
    intentId: holder.intentId,
    // the check constraint of os_install holds the same list
    phase: row.phase as Phase,
    // written by makeInstallPlan only
    plan: row.plan as InstallPlan,
    wipeGranted: row.wipe_granted_at !== null,
    bootEpoch: row.boot_epoch,
  };
};

const CONSOLE_LIMIT = 4000;

export const reportInstallLog = async (
  deps: BootDeps,
  token: string,
  text: string,
): Promise<void> =>
  transaction(deps.database.db, async (tx) => {
    const install = await readInstall(tx, token);
    for (const line of text
      .slice(0, CONSOLE_LIMIT)
      .split('\n')
      .filter((part) => part.trim() !== '')) {
      await recordBootEvent(tx, { nodeId: install.nodeId, kind: 'console', text: line });
    }
  });

/** A disk as the machine found it; installers of distributions know the serial only. */
export interface DiskClaim {
  readonly serial: string;
  readonly bytes?: number;
}

/** The one moment after which disks may be lost. Granted once per run, and only for the disks of the plan. */
export const grantWipe = async (
  deps: BootDeps,
  token: string,
  claims: readonly DiskClaim[],
): Promise<boolean> =>
  transaction(deps.database.db, async (tx) => {
    const install = await readInstall(tx, token);
    const plain = (serial: string) => serial.replaceAll(/[^A-Za-z0-9._-]/g, '_');
    const meant = install.plan.disks;
    const same =
      claims.length > 0 &&
      // who knows the sizes knows all the disks
      (claims.length === meant.length || claims.every(({ bytes }) => bytes === undefined)) &&
      claims.every(({ serial, bytes }, index) => {
        const disk = meant[index];
        return (
          disk !== undefined &&
          plain(disk.serial) === plain(serial) &&
          (bytes === undefined || disk.bytes === bytes)
        );
      });
    const granted =
      install.phase === 'installing' &&
      same &&
      (
        await tx
          .updateTable('os_install')
          .set({ wipe_granted_at: sql<Date>`now()` })
          .where('run_id', '=', install.runId)
          .where('wipe_granted_at', 'is', null)
          .executeTakeFirst()
      ).numUpdatedRows === 1n;
    await recordBootEvent(tx, {
      nodeId: install.nodeId,
      kind: granted ? 'callback' : 'refused',
      text: granted
        ? `leave to erase ${meant.map((disk) => `${disk.name} (${disk.serial})`).join(', ')}`
        : `no leave to erase ${claims.map((claim) => claim.serial).join(', ')}: ${same ? 'it was given before' : 'it is not what the plan names'}`,
    });
    return granted;
  });

export const reportInstallFailed = async (
  deps: BootDeps,
  token: string,
  reason: string,
): Promise<void> =>
  transaction(deps.database.db, async (tx) => {
    const install = await readInstall(tx, token);
    const error = `the installer failed: ${oneLine(reason, 500)}`;
    const failed = { runId: install.runId, from: ['installing'], to: 'failed', error } as const;
    // late or sent again: the installation has gone on, and so has what the machine boots
    if (!(await setPhase(tx, failed))) return;
    await tx
      .updateTable('node')
      .set({ bootenv: 'discovery' })
      .where('id', '=', install.nodeId)
      .execute();
    await tellRun(tx, { runId: install.runId, payload: { kind: 'failed' } });
  });

/** The system is on the disk. From this transaction on the machine boots from it (A8): the installer may restart. */
export const reportInstallFinished = async (deps: BootDeps, token: string): Promise<void> =>
  transaction(deps.database.db, async (tx) => {
    const install = await readInstall(tx, token);
    if (install.phase === 'restart') return;
    if (!(await setPhase(tx, { runId: install.runId, from: ['installing'], to: 'restart' })))
      throw new HostwrightError('stale_token');
    const erased = install.plan.kind === 'erase';
    await tx
      .updateTable('node')
      .set({ bootenv: erased ? 'discovery' : 'local' })
      .where('id', '=', install.nodeId)
      .execute();
    if (erased) {
      // no system will call back: there is none
      await setPhase(tx, { runId: install.runId, from: ['restart'], to: 'done' });
      const reason = 'its disks are erased; it boots into discovery';
      await setNodeAlive(tx, { nodeId: install.nodeId, alive: false, reason, hold: false });
    }
    await tellRun(tx, { runId: install.runId, payload: { kind: 'finished' } });
  });

export const issueOsToken = async (tx: Tx, install: LiveInstall): Promise<string> =>
  issueToken(tx, {
    intentId: install.intentId,
    purpose: 'os',
    seconds: PHASE_SECONDS.installing + PHASE_SECONDS.restart,
  });

/** The installed system is up. Only this ends an installation well (A3). */
export const reportSystemUp = async (
  deps: BootDeps,
  token: string,
  bootId: string,
): Promise<void> =>
  transaction(deps.database.db, async (tx) => {
    const install = await readInstall(tx, token, 'os');
    if (install.phase !== 'restart' && install.phase !== 'installing')
      throw new HostwrightError('stale_token');
    const node = await tx
      .selectFrom('node')
      .select(['boot_id', 'boot_epoch'])
      .where('id', '=', install.nodeId)
      .forUpdate()
      .executeTakeFirstOrThrow();
    // the dying discovery image cannot pass for the new system (A9); an agent of the new one that said
    // hello before this call has made a later epoch (A10)
    if (node.boot_id === bootId && install.bootEpoch > 0 && node.boot_epoch <= install.bootEpoch)
      throw new HostwrightError('stale_token', { message: 'this boot is not a new one' });
    if (!(await useToken(tx, token))) throw new HostwrightError('stale_token');
    await setPhase(tx, { runId: install.runId, from: ['installing'], to: 'restart' });
    await setPhase(tx, { runId: install.runId, from: ['restart'], to: 'done' });
    await tx
      .updateTable('node')
      .set({ bootenv: 'local' })
      .where('id', '=', install.nodeId)
      .execute();
    // from here its agent's hello makes it alive; the dying discovery image could not
    await setNodeAlive(tx, {
      nodeId: install.nodeId,
      alive: false,
      reason: 'the installed system is up; its agent has yet to say hello',
      hold: false,
    });
    await recordBootEvent(tx, {
      nodeId: install.nodeId,
      kind: 'callback',
      text: 'the installed system is up',
      detail: { bootId },
    });
    await tellRun(tx, { runId: install.runId, payload: { kind: 'up', bootId } });
  });
