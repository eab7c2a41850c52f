/**
 * Writes an event in the caller's transaction: it exists if and only if the change does.
 * State changes of noderoles, runs and nodes are written by triggers; never emit those by hand.
 */
import type { JsonObject, JsonValue } from '@hostwright/core';
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import type { EMITTED_EVENTS, EmittedKind } from './kinds.ts';

interface About<Kind extends EmittedKind> {
  readonly kind: Kind;
  readonly deploymentId?: number | null | undefined;
  readonly nodeId?: number | null | undefined;
  readonly noderoleId?: number | null | undefined;
  readonly runId?: number | null | undefined;
  readonly payload?: Payload<Kind>;
}

/** The keys the catalogue gives this kind, and no others. */
type Payload<Kind extends EmittedKind> =
  (typeof EMITTED_EVENTS)[Kind] extends readonly (infer Key)[]
    ? { readonly [Name in Key & string]?: JsonValue }
    : JsonObject;

export type NewEvent = { [Kind in EmittedKind]: About<Kind> }[EmittedKind];

export const emit = async (tx: Tx, event: NewEvent): Promise<void> => {
  await emitAll(tx, [event]);
};

/** Many events by one statement, in the order given. */
export const emitAll = async (tx: Tx, events: readonly NewEvent[]): Promise<void> => {
  if (events.length === 0) return;
  const rows = events.map((event) => ({
    kind: event.kind,
    deployment_id: event.deploymentId ?? null,
    node_id: event.nodeId ?? null,
    noderole_id: event.noderoleId ?? null,
    run_id: event.runId ?? null,
    payload: event.payload ?? {},
  }));
  await sql`
    with batch as materialized (select event_batch_id() as id)
    insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, payload)
    select batch.id, e.kind, e.deployment_id, e.node_id, e.noderole_id, e.run_id, e.payload
    from batch, rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as
      (kind text, deployment_id bigint, node_id bigint, noderole_id bigint, run_id bigint, payload jsonb))
      with ordinality as e (kind, deployment_id, node_id, noderole_id, run_id, payload, n)
    order by e.n`.execute(tx);
};
