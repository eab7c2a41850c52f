/**
 * What a server said of the nodes it was fed, in one transaction with the word to installations that
 * wait for it: a worker that dies between the two would leave them waiting for what has come.
 */
import { transaction, type Db, type Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { tellRun } from '../install/tell-run.ts';
import type { AppliedNode } from './feed-server.ts';
import type { NodeData } from './node-data.ts';

export interface Answers {
  readonly serverId: number;
  /** The life of the server's data when the nodes were read. */
  readonly incarnation: string;
  readonly nodes: readonly NodeData[];
  readonly answered: readonly AppliedNode[];
}

/** Each decides by itself whether all have answered. */
const tellInstalls = async (tx: Tx, nodeIds: readonly number[]): Promise<void> => {
  const waiting = await tx
    .selectFrom('os_install')
    .select('run_id')
    .where('phase', '=', 'acks')
    .where('node_id', 'in', nodeIds)
    .execute();
  for (const { run_id: runId } of waiting) await tellRun(tx, { runId, payload: { kind: 'acks' } });
};

const acknowledge = async (tx: Tx, answers: Answers): Promise<void> => {
  const byNode = new Map(answers.answered.map((one) => [one.nodeId, one]));
  const rows = answers.nodes.flatMap((node) => {
    const one = byNode.get(node.nodeId);
    if (one === undefined || one.later === true) return [];
    const errors = [...node.errors, ...(one.error === undefined ? [] : [one.error])];
    return [
      {
        node_id: node.nodeId,
        version: node.version,
        evidence: one.evidence,
        error: errors.length > 0 ? errors.join('; ') : null,
        refused: one.error ?? null,
      },
    ];
  });
  if (rows.length === 0) return;
  await tellInstalls(
    tx,
    rows.map((row) => row.node_id),
  );
  await sql`
    insert into boot_ack (server_id, node_id, version, evidence, error, refused)
    select ${answers.serverId}, r.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) r(node_id bigint, version bigint, evidence text, error text, refused text)
    on conflict (server_id, node_id) do update
      set version = excluded.version, evidence = excluded.evidence, error = excluded.error, refused = excluded.refused, at = now()
      where boot_ack.version <= excluded.version`.execute(tx);
};

/** Not acknowledged: the version it holds stays, and why the next one was not taken stands beside it. */
const noteLater = async (tx: Tx, { serverId, answered }: Answers): Promise<void> => {
  const later = answered.filter((one) => one.later === true);
  if (later.length === 0) return;
  const rows = later.map(({ nodeId, error }) => ({ node_id: nodeId, error: error ?? '' }));
  await sql`
    insert into boot_ack (server_id, node_id, version, error)
    select ${serverId}, r.node_id, 0, r.error from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) r(node_id bigint, error text)
    on conflict (server_id, node_id) do update set error = excluded.error, at = now()`.execute(tx);
};

/** False: the server is gone, or its data began another life, of which these answers say nothing. */
export const recordAnswers = (db: Db, answers: Answers): Promise<boolean> =>
  transaction(db, async (tx) => {
    // first, as whoever gives it another life does: the two wait for each other, and never in a circle
    const server = await tx
      .selectFrom('boot_server')
      .select('incarnation')
      .where('id', '=', answers.serverId)
      .forKeyShare()
      .executeTakeFirst();
    if (server?.incarnation !== answers.incarnation) return false;
    await acknowledge(tx, answers);
    await noteLater(tx, answers);
    return true;
  });
