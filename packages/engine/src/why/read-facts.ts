/** Reads, for some noderoles, what core needs to say why each of them waits. Read only. */
import type { NoderoleState, WhyAnnealer, WhyNoderole, WhyRun } from '@hostwright/core';
import { sql, type RawBuilder } from 'kysely';
import { readAnnealer } from '../annealer/annealer-mode.ts';
import type { Db, Tx } from '../db/open.ts';

export interface Facts extends WhyNoderole {
  readonly blockedBy: number | null;
  readonly degradedBy: number | null;
}

type RunColumns = Omit<WhyRun, 'lastLines'> & { readonly lastLines: readonly string[] | null };

type Row = Omit<Facts, 'annealer' | 'root' | 'run' | 'laneRun' | 'node' | 'deployment' | 'jig'> & {
  readonly node: WhyNoderole['node'];
  readonly deployment: WhyNoderole['deployment'];
  readonly jig: WhyNoderole['jig'];
  readonly state: NoderoleState;
  readonly run: RunColumns | null;
  readonly laneRun: RunColumns | null;
};

export const readAnnealerFacts = async (db: Db | Tx): Promise<WhyAnnealer> => {
  const { rows } = await sql<{ workers: number; draining: number }>`
    select count(*) filter (where not draining)::int as workers, count(*) filter (where draining)::int as draining
    from worker where lease_until > now()`.execute(db);
  return {
    mode: await readAnnealer(db),
    workers: rows[0]?.workers ?? 0,
    draining: rows[0]?.draining ?? 0,
  };
};

/** Of a node whose last boot is one into rescue. */
export const rescueObject = (nodeId: RawBuilder<unknown>) => sql`(
  select jsonb_build_object('seconds', extract(epoch from now() - i.used_at)::int, 'told', (
    select e.text from boot_event e where e.attempt_id = t.id and e.kind = 'callback' order by e.id desc limit 1))
  from (select id, intent_id, hello_at from boot_attempt where node_id = ${nodeId} order by id desc limit 1) t
    join boot_intent i on i.id = t.intent_id
  where t.hello_at is null and i.bootenv = 'rescue' and i.used_at is not null)`;

/** Of an installation: in which phase it is, or was when it failed, and the last thing seen of its machine. */
const phaseObject = sql`(
  select jsonb_build_object('name', coalesce(i.failed_in, i.phase), 'seconds', extract(epoch from now() - i.phase_since)::int,
    'deadlineSeconds', extract(epoch from i.phase_deadline - now())::int,
    'waitsFor', i.waits_for || coalesce(' (' || (
      select string_agg(s.name || ' has not', ', ' order by s.name) from boot_server s
        join node_boot b on b.node_id = i.node_id left join boot_ack a on a.server_id = s.id and a.node_id = i.node_id
      where i.phase = 'acks' and s.active and coalesce(a.version, 0) < b.version) || ')', ''),
    'lastText', e.text, 'lastSeconds', extract(epoch from now() - e.at)::int)
  from os_install i left join lateral (
    select e.text, e.at from boot_attempt t join boot_event e on e.attempt_id = t.id
    where t.node_id = i.node_id and t.started_at >= i.created_at - interval '1 day' and e.kind <> 'phase'
    order by t.id desc, e.id desc limit 1) e on true
  where i.run_id = r.id)`;

const runObject = sql`jsonb_build_object(
  'id', r.id, 'role', ro.name, 'status', r.status,
  'seconds', extract(epoch from now() - coalesce(r.started_at, r.created_at))::int,
  'waitingFor', r.waiting_for, 'deadlineSeconds', extract(epoch from r.deadline_at - now())::int,
  'worker', w.name, 'workerAlive', coalesce(w.lease_until > now(), false), 'error', r.error,
  'phase', ${phaseObject},
  'lastLines', (select jsonb_agg(l.text order by l.seq) from (
    select seq, text from run_log where run_id = r.id order by seq desc limit 5) l))`;

/** Two ranges of the index by which lanes are claimed: with an OR every claimable lane would be looked at. */
const claimable = sql`x.open and x.ready > 0 and not x.busy`;
const aheadInQueue = sql`(
  select (select count(*) from node_lane x where ${claimable} and x.priority > own.priority)::int
    + (select count(*) from node_lane x where ${claimable} and x.priority = own.priority and x.ready_since < own.ready_since)::int
  from node_lane own where own.node_id = nr.node_id and own.lane = nr.lane)`;

export const readFacts = async (
  db: Db | Tx,
  options: { readonly noderoleIds: readonly number[]; readonly annealer: WhyAnnealer },
): Promise<Map<number, Facts>> => {
  if (options.noderoleIds.length === 0) return new Map();
  const { rows } = await sql<Row>`
    with recursive above as (
      select d.id as leaf, d.id, d.name, d.parent_id, d.paused from deployment d
      where d.id in (select deployment_id from noderole where id = any(${[...options.noderoleIds]}::bigint[]))
      union all
      select a.leaf, d.id, d.name, d.parent_id, d.paused from deployment d join above a on d.id = a.parent_id
    )
    select nr.id, role.name as role, nr.state, nr.reason, nr.cause, nr.holds, nr.removing, nr.drifted,
      nr.drift_reason as "driftReason", role.destructive, nr.blocked_by as "blockedBy", nr.degraded_by as "degradedBy",
      extract(epoch from nr.not_before - now())::int as "backoffSeconds",
      jsonb_build_object('id', n.id, 'name', n.name, 'alive', n.alive, 'aliveReason', n.alive_reason, 'aliveHold', n.alive_hold,
        'available', n.available, 'everSeen', n.boot_epoch > 0,
        'rescue', case when not n.alive then ${rescueObject(sql`n.id`)} end,
        'hammers', coalesce((select jsonb_agg(h.kind order by h.kind) from hammer h where h.node_id = n.id), '[]')) as node,
      jsonb_build_object('id', d.id, 'name', d.name) as deployment,
      jsonb_build_object('name', jig.name, 'active', jig.active) as jig,
      (select a.name from above a where a.leaf = nr.deployment_id and a.paused order by a.id limit 1) as "pausedBy",
      case when s.id is not null then jsonb_build_object('revision', s.revision, 'haltedReason', s.halted_reason, 'canary', s.canary,
        'canaryPassed', s.canary_passed_at is not null, 'rollingLimit', s.rolling_limit) end as rollout,
      (select ${runObject} from run r join role ro on ro.id = r.role_id left join worker w on w.id = r.worker_id
        where r.id = coalesce(nr.run_id, (select max(x.id) from run x where x.node_id = nr.node_id and x.noderole_id = nr.id and x.status <> 'queued'))) as run,
      exists (select 1 from run r where r.noderole_id = nr.id and r.status = 'queued') as "refreshQueued",
      (select ${runObject} from run r join role ro on ro.id = r.role_id left join worker w on w.id = r.worker_id
        where r.node_id = nr.node_id and r.lane = nr.lane and r.status in ('running', 'waiting', 'cancelling') and r.noderole_id <> nr.id) as "laneRun",
      (select count(*)::int from noderole x where x.node_id = nr.node_id and x.lane = nr.lane and x.state = 'todo' and x.holds = '{}'
        and (-x.priority, x.cohort, x.id) < (-nr.priority, nr.cohort, nr.id)) as "aheadInLane",
      case when nr.state = 'todo' then ${aheadInQueue} else 0 end as "aheadInQueue",
      case when 'order' = any(nr.holds) then (
        select jsonb_build_object('role', pr.name, 'node', pn.name, 'state', p.state)
        from edge e join noderole p on p.id = e.parent_id join role pr on pr.id = p.role_id join node pn on pn.id = p.node_id
        where e.child_id = nr.id and e.soft and p.state in ('todo', 'transition', 'blocked') order by p.cohort, p.id limit 1) end as "softParent"
    from noderole nr join role on role.id = nr.role_id join node n on n.id = nr.node_id join deployment d on d.id = nr.deployment_id
    join jig on jig.name = role.jig left join snapshot s on s.id = nr.snapshot_id
    where nr.id = any(${[...options.noderoleIds]}::bigint[])`.execute(db);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        ...row,
        run: runOf(row.run),
        laneRun: runOf(row.laneRun),
        annealer: options.annealer,
        root: null,
      },
    ]),
  );
};

const runOf = (run: RunColumns | null): WhyRun | null =>
  run === null ? null : { ...run, lastLines: run.lastLines ?? [] };
