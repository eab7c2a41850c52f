/** The second half of a claim: run rows with token, deadline, owner and frozen attributes; noderoles to transition. */
import { sql } from 'kysely';
import { bindConsents } from '../consent/take-consents.ts';
import type { Tx } from '../db/open.ts';
import type { ClaimedRun } from './claimed-run.ts';
import type { ResolvedInputs } from '../attribs/resolve-inputs.ts';
import { freezeAttribs } from './freeze-attribs.ts';
import type { Pick } from './pick-work.ts';

interface Started {
  readonly id: number;
  readonly noderole_id: number;
  readonly token: number;
  readonly deadline_at: Date;
}

interface Start {
  readonly workerId: number;
  readonly picks: readonly Pick[];
  readonly inputs: ReadonlyMap<number, ResolvedInputs>;
}

/** Run rows, noderoles to transition, lanes, events: one function of the database for the batch. */
const startFresh = async (
  tx: Tx,
  { workerId, picks, inputs }: Start,
): Promise<readonly Started[]> => {
  if (picks.length === 0) return [];
  const { rows } = await sql<Started>`
    select id, noderole_id, token, deadline_at from start_runs(${workerId}::bigint,
      ${picks.map((pick) => pick.noderoleId)}::bigint[], ${picks.map((pick) => pick.jig)}::text[],
      ${picks.map((pick) => pick.bootEpoch)}::bigint[], ${picks.map((pick) => pick.deadlineSeconds)}::int[],
      ${picks.map((pick) => pick.reboots)}::boolean[],
      ${picks.map((pick) => inputs.get(pick.noderoleId)?.inputHash ?? null)}::text[],
      ${picks.map((pick) => inputs.get(pick.noderoleId)?.attribsHash ?? null)}::text[])`.execute(
    tx,
  );
  return rows;
};

const startQueued = async (
  tx: Tx,
  { workerId, picks, inputs }: Start,
): Promise<readonly Started[]> => {
  if (picks.length === 0) return [];
  const { rows } = await sql<Started>`
    update run r set status = 'running', worker_id = ${workerId}::bigint, token = nextval('fencing_token'), started_at = statement_timestamp(),
      deadline_at = now() + p.deadline * interval '1 second', boot_epoch = p.boot_epoch, expects_reboot = p.reboots,
      input_hash = p.input_hash, attribs_hash = p.attribs_hash
    from unnest(
      ${picks.map((pick) => pick.queuedRun)}::bigint[], ${picks.map((pick) => pick.bootEpoch)}::bigint[],
      ${picks.map((pick) => pick.deadlineSeconds)}::int[], ${picks.map((pick) => pick.reboots)}::boolean[],
      ${picks.map((pick) => inputs.get(pick.noderoleId)?.inputHash ?? null)}::text[],
      ${picks.map((pick) => inputs.get(pick.noderoleId)?.attribsHash ?? null)}::text[]
    ) as p(id, boot_epoch, deadline, reboots, input_hash, attribs_hash)
    where r.id = p.id and r.status = 'queued'
    returning r.id, r.noderole_id, r.token, r.deadline_at`.execute(tx);
  return rows;
};

/** A refresh or a teardown holds its noderole too, but does not move it: it may be asked to run meanwhile. */
const holdHandles = async (tx: Tx, queued: readonly Started[]): Promise<void> => {
  if (queued.length === 0) return;
  await sql`
    update noderole w set run_id = s.run_id, stale = false
    from unnest(${queued.map((run) => run.noderole_id)}::bigint[], ${queued.map((run) => run.id)}::bigint[]) as s(noderole_id, run_id)
    where w.id = s.noderole_id`.execute(tx);
};

const asClaimed = (pick: Pick, started: Started, frozen: ResolvedInputs): ClaimedRun => ({
  runId: started.id,
  token: started.token,
  kind: pick.kind,
  lane: pick.lane,
  attempt: pick.failures + 1,
  noderoleId: pick.noderoleId,
  jig: pick.jig,
  node: {
    id: pick.nodeId,
    name: pick.nodeName,
    admin: pick.admin,
    bootId: pick.bootId,
    bootEpoch: pick.bootEpoch,
  },
  role: { id: pick.roleId, name: pick.roleName, revision: pick.roleRevision },
  deployment: { id: pick.deploymentId, name: pick.deploymentName },
  attribs: frozen.attribs,
  deadline: started.deadline_at,
  memo: null,
  entry: { kind: 'run' },
});

export const startRuns = async (tx: Tx, start: Start): Promise<readonly ClaimedRun[]> => {
  const { picks, inputs } = start;
  if (picks.length === 0) return [];
  await freezeAttribs(tx, [...inputs.values()]);
  const fresh = await startFresh(tx, {
    ...start,
    picks: picks.filter((pick) => pick.queuedRun === null),
  });
  const queued = await startQueued(tx, {
    ...start,
    picks: picks.filter((pick) => pick.queuedRun !== null),
  });
  const started = [...fresh, ...queued];
  await holdHandles(tx, queued);
  if (picks.some((pick) => pick.destructive)) await bindConsents(tx, started);
  const byNoderole = new Map(picks.map((pick) => [pick.noderoleId, pick]));
  return started.flatMap((run) => {
    const pick = byNoderole.get(run.noderole_id);
    const frozen = inputs.get(run.noderole_id);
    return pick && frozen ? [asClaimed(pick, run, frozen)] : [];
  });
};
