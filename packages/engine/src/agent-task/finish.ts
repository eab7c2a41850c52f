/**
 * How the scripts ended, as the agent says. The evidence wakes the waiting run; sending the same
 * result again is harmless; a result for a run that is no longer live is refused and changes nothing.
 */
import type { JsonObject } from '@hostwright/core';
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { recordEvidence } from '../evidence/record-evidence.ts';
import type { Masker } from '../secret/mask.ts';
import type { MasterKey } from '../secret/seal.ts';
import { lockTask, type TaskKey } from './current.ts';
import { openMasks } from './seal-bundle.ts';

export const AGENT_RESULT = 'agent-result';

export interface TaskResult {
  readonly exitCode: number;
  readonly reason: string;
  readonly script: string;
  readonly wall: JsonObject;
  /** Why the wall could not be read, if it could not. */
  readonly wallError: string;
}

/** A script may write what it was told in confidence to its wall, or end with it. */
const maskResult = (result: TaskResult, { mask, maskValue }: Masker) => ({
  exitCode: result.exitCode,
  reason: mask(result.reason),
  script: mask(result.script),
  wall: maskValue(result.wall),
  wallError: mask(result.wallError),
});

export const finishTask = async (
  tx: Tx,
  key: TaskKey,
  report: { readonly result: TaskResult; readonly master: MasterKey },
): Promise<'taken' | 'known' | 'void'> => {
  const task = await lockTask(tx, key);
  if (task === undefined || !task.boot) return 'void';
  if (task.status === 'done') return 'known';
  if (!task.live || task.status === 'void') return 'void';
  const payload = maskResult(report.result, openMasks(report.master, key.runId, task.masks));
  await sql`
    update agent_task set status = 'done', exit_code = ${payload.exitCode}, reason = ${payload.reason},
           bundle = null, masks = null, updated_at = now()
    where run_id = ${key.runId} and token = ${key.token}`.execute(tx);
  await recordEvidence(tx, { runId: key.runId, key: AGENT_RESULT, payload });
  return 'taken';
};
