/** An edit of a proposal: one transaction, the proposal locked, its own revision bumped, told as an event. */
import type { JsonObject } from '@hostwright/core';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import { checkEdits, lockProposal, type SnapshotRecord } from './read.ts';

export interface Edit {
  readonly snapshotId: number;
  readonly actor: string;
  /** The number of edits the caller has read (ETag); refused if it has moved. */
  readonly edits?: number | undefined;
}

export interface Edited<Result> {
  readonly result: Result;
  /** null: nothing changed after all. */
  readonly payload: JsonObject | null;
}

export const editProposal = async <Result>(
  db: Db,
  edit: Edit,
  body: (tx: Tx, snapshot: SnapshotRecord) => Promise<Edited<Result>>,
): Promise<Result> =>
  transaction(db, async (tx) => {
    const snapshot = await lockProposal(tx, edit.snapshotId);
    checkEdits(snapshot, edit.edits);
    const { result, payload } = await body(tx, snapshot);
    if (payload !== null) {
      await tx
        .updateTable('snapshot')
        .set((eb) => ({ edits: eb('edits', '+', 1) }))
        .where('id', '=', snapshot.id)
        .execute();
      await emit(tx, {
        kind: 'snapshot.changed',
        deploymentId: snapshot.deploymentId,
        payload: {
          snapshotId: snapshot.id,
          revision: snapshot.revision,
          actor: edit.actor,
          ...payload,
        },
      });
    }
    return result;
  });
