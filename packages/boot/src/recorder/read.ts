/** Reads the flight recorder: the attempts of a node, and one timeline. */
import type { Db } from '@hostwright/engine';

export const listBootAttempts = async (
  db: Db,
  options: { readonly nodeId: number; readonly limit?: number },
) =>
  db
    .selectFrom('boot_attempt')
    .selectAll()
    .where('node_id', '=', options.nodeId)
    .orderBy('id', 'desc')
    .limit(options.limit ?? 20)
    .execute();

export const readBootTimeline = async (db: Db, attemptId: number) =>
  db
    .selectFrom('boot_event')
    .select(['at', 'kind', 'text', 'detail'])
    .where('attempt_id', '=', attemptId)
    .orderBy('id')
    .execute();

/** As a text file a person can send to somebody. */
export const writeBootTimeline = (
  events: readonly { readonly at: Date; readonly kind: string; readonly text: string }[],
): string => {
  const start = events[0]?.at.getTime() ?? 0;
  return events
    .map(
      ({ at, kind, text }) =>
        `${at.toISOString()} +${((at.getTime() - start) / 1000).toFixed(1).padStart(6)} s  ${kind.padEnd(8)} ${text}\n`,
    )
    .join('');
};
