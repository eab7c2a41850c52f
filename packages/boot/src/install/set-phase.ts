/**
 * Moves an installation on. Compare-and-set on the phase it is in: a late or replayed report of an
 * older boot finds another phase and changes nothing (A7, B9).
 */
import type { Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { recordBootEvent, type BootEnd } from '../recorder/record.ts';
import { mayFollow, PHASE_SECONDS, PHASE_WAITS_FOR, type LivePhase, type Phase } from './phase.ts';

export interface SetPhase {
  readonly runId: number;
  readonly from: readonly LivePhase[];
  readonly to: Phase;
  readonly error?: string;
}

/** The installer's own boot ends where the machine is to start from its disk. */
const endOf = (to: Phase, kind: string | null): BootEnd | undefined => {
  if (to === 'failed') return 'failed';
  if (to !== 'restart') return undefined;
  return kind === 'erase' ? 'erased' : 'installed';
};

export const setPhase = async (tx: Tx, options: SetPhase): Promise<boolean> => {
  const from = options.from.filter((phase) => mayFollow(phase, options.to));
  if (from.length === 0) return false;
  const over = options.to === 'done' || options.to === 'failed';
  const seconds = over ? 0 : PHASE_SECONDS[options.to];
  const moved = await tx
    .updateTable('os_install')
    .set({
      phase: options.to,
      ...(over ? {} : { waits_for: PHASE_WAITS_FOR[options.to] }),
      ...(options.to === 'failed' && { failed_in: sql<string>`phase` }),
      // no installer will ask for it any more
      ...(over && { plan: sql`plan || '{"passwordHash": ""}'::jsonb` }),
      phase_since: sql<Date>`now()`,
      phase_deadline: sql<Date>`now() + ${seconds} * interval '1 second'`,
      ...(options.error !== undefined && { error: options.error }),
    })
    .where('run_id', '=', options.runId)
    .where('phase', 'in', from)
    .returning(['node_id', sql<string | null>`plan->>'kind'`.as('kind')])
    .executeTakeFirst();
  if (moved === undefined) return false;
  await recordBootEvent(tx, {
    nodeId: moved.node_id,
    kind: 'phase',
    text:
      options.error === undefined
        ? `install: ${options.to}`
        : `install: ${options.to}: ${options.error}`,
    outcome: endOf(options.to, moved.kind),
  });
  return true;
};
