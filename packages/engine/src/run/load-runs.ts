/** Live runs that come to a worker by another way than a claim, with all their jig needs. */
import type { JsonObject, Lane, RunKind } from '@hostwright/core';
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import type { ClaimedRun } from './claimed-run.ts';

interface Row {
  readonly id: number;
  readonly token: number;
  readonly kind: RunKind;
  readonly lane: Lane;
  readonly attempt: number;
  readonly noderole_id: number;
  readonly jig: string;
  readonly deadline_at: Date;
  readonly memo: JsonObject | null;
  readonly attribs: JsonObject | null;
  readonly node: ClaimedRun['node'];
  readonly role: ClaimedRun['role'];
  readonly deployment: ClaimedRun['deployment'];
}

export const loadRuns = async (
  tx: Tx,
  entries: ReadonlyMap<number, ClaimedRun['entry']>,
): Promise<readonly ClaimedRun[]> => {
  if (entries.size === 0) return [];
  const { rows } = await sql<Row>`
    select r.id, r.token, r.kind, r.lane, r.attempt, r.noderole_id, r.jig, r.deadline_at, r.memo, f.attribs,
      json_build_object('id', n.id, 'name', n.name, 'admin', n.admin, 'bootId', n.boot_id, 'bootEpoch', n.boot_epoch) as node,
      json_build_object('id', o.id, 'name', o.name, 'revision', o.revision) as role,
      json_build_object('id', d.id, 'name', d.name) as deployment
    from run r join node n on n.id = r.node_id join role o on o.id = r.role_id join deployment d on d.id = r.deployment_id
    left join frozen_attribs f on f.hash = r.attribs_hash
    where r.id = any(${[...entries.keys()]}::bigint[])`.execute(tx);
  return rows.map((row) => ({
    runId: row.id,
    token: row.token,
    kind: row.kind,
    lane: row.lane,
    attempt: row.attempt,
    noderoleId: row.noderole_id,
    jig: row.jig,
    node: row.node,
    role: row.role,
    deployment: row.deployment,
    attribs: row.attribs ?? {},
    deadline: row.deadline_at,
    memo: row.memo,
    entry: entries.get(row.id) ?? { kind: 'recover' },
  }));
};
