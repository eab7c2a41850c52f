-- What the annealer needs beyond the base: indexes so that claiming, resuming and holding cost
-- what they touch and not what is at rest; a cancel that waits for a worker; wakes sent by the
-- database itself, so that nobody who makes work can forget to say so.

create index run_queued on run (node_id, lane, id) where status = 'queued';
create index run_queued_deadline on run (deadline_at) where status = 'queued' and deadline_at is not null;
create index noderole_blocked_by on noderole (blocked_by) where blocked_by is not null;
create index noderole_degraded_by on noderole (degraded_by) where degraded_by is not null;
-- Every index costs each run or event once or twice. Live runs are few, and all in
-- run_one_unfenced_per_node_and_lane; a noderole's events are found among its node's.
drop index run_live;
drop index run_deadline;
drop index event_noderole;

-- The claim's best-todo-of-a-lane must have one index to choose: a plan made while nothing is todo
-- would take an index of all todo, and read it whole for each lane once there is work.
drop index noderole_unsettled;
create index noderole_stopped on noderole (state, id) where state in ('blocked', 'error');
create index noderole_held on noderole (id) where holds <> '{}';
create index noderole_stale on noderole (id) where stale;
create index noderole_removing on noderole (id) where removing;
create index deployment_paused on deployment (id) where paused;
create index snapshot_unfinished on snapshot (id) where state = 'committed' and finished_at is null;
create index edge_soft on edge (child_id) where soft;
create index consent_used on consent (used_by_run) where used_by_run is not null;

-- Queued runs among what is ready on a lane, so that a claim looks for them only where they are.
alter table node_lane add column queued integer not null default 0;

-- A waiting run that is to stop has no worker until one takes the cancelling up.
alter table run drop constraint run_live_has_owner_or_evidence;
alter table run add constraint run_live_has_owner_or_evidence check (
  (status = 'running' and worker_id is not null and deadline_at is not null)
  or (status = 'cancelling' and (worker_id is not null or waiting_for is not null) and deadline_at is not null)
  or (status = 'waiting' and waiting_for is not null and deadline_at is not null)
  or status not in ('running', 'cancelling', 'waiting'));

-- The old and the new rows meet in one FULL join: the planner then has only hash and merge joins to
-- choose from. An inner join is planned once, for the first few rows a session sees, as a nested
-- loop, and costs the square of the batch ever after (17 ms for 250 rows against 0.3).
create or replace function noderole_changed() returns trigger language plpgsql as $$
declare bad text; woken bigint;
begin
  with pair as materialized (
    select n.id, n.deployment_id, n.node_id, n.role_id, n.run_id, n.lane, n.priority, n.reason, n.cause, n.revision,
           o.state as was, n.state as now,
           (n.state = 'todo' and n.holds = '{}')::int - (o.state = 'todo' and o.holds = '{}')::int as delta,
           (n.run_id is not null)::int - (o.run_id is not null)::int as held
    from old_rows o full join new_rows n on n.id = o.id
  ), illegal as (
    select format('noderole %s may not go from %s to %s', p.id, p.was, p.now) as text from pair p
    where p.was <> p.now
      and not exists (select 1 from noderole_transition t where t.from_state = p.was and t.to_state = p.now)
  ), told as (
    insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, payload)
      select (select event_batch_id()), 'noderole.state', p.deployment_id, p.node_id, p.id, p.run_id,
             jsonb_build_object('from', p.was, 'to', p.now, 'role', p.role_id, 'reason', p.reason, 'cause', p.cause, 'revision', p.revision)
      from pair p where p.was <> p.now order by p.id
  ), lanes as (
    select node_id, lane, max(priority) filter (where delta > 0) as priority, sum(delta)::int as delta, sum(held)::int as held
    from pair where delta <> 0 or held <> 0 group by node_id, lane
  ), moved as (
    -- greatest and coalesce pass over null: nothing came, the priority stays
    update node_lane l set ready = l.ready + d.delta,
        busy = case when d.held > 0 then true when d.held < 0 then false else l.busy end,
        ready_since = case when d.held < 0 or (l.ready <= 0 and d.delta > 0) then now() else l.ready_since end,
        priority = case when l.ready <= 0 then coalesce(d.priority, l.priority) else greatest(l.priority, d.priority) end
      from lanes d where (d.delta <> 0 or d.held <> 0) and l.node_id = d.node_id and l.lane = d.lane
      returning (d.delta > 0 and l.open)::int as woke
  )
  select (select min(text) from illegal), (select sum(woke) from moved) into bad, woken;
  if bad is not null then
    raise exception '%', bad using errcode = 'check_violation', constraint = 'noderole_state_change_legal';
  end if;
  if woken > 0 then
    perform pg_notify('hostwright_wake', '');
  end if;
  return null;
end $$;

create or replace function noderole_added() returns trigger language plpgsql as $$
begin
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, payload)
    select (select event_batch_id()), 'noderole.state', n.deployment_id, n.node_id, n.id,
           jsonb_build_object('from', null, 'to', n.state, 'role', n.role_id, 'cause', n.cause, 'revision', n.revision)
    from new_rows n order by n.id;
  update node_lane l set ready = l.ready + d.added,
      ready_since = case when l.ready <= 0 then now() else l.ready_since end,
      priority = greatest(case when l.ready <= 0 then d.priority else l.priority end, d.priority)
    from (select node_id, lane, count(*)::int as added, max(priority) as priority
          from new_rows where state = 'todo' and holds = '{}' group by node_id, lane) d
    where l.node_id = d.node_id and l.lane = d.lane;
  if found then
    perform pg_notify('hostwright_wake', '');
  end if;
  return null;
end $$;

-- A live run is held by its noderole, and the noderole's change keeps the lane: a claim and a
-- completion then write each lane once and not twice. Runs only tell of themselves and are counted
-- while they are queued.
create or replace function run_changed() returns trigger language plpgsql as $$
begin
  with pair as materialized (
    select n.id, n.deployment_id, n.node_id, n.noderole_id, n.kind, n.token, n.lane, n.error, o.status as was, n.status as now,
           o.token <> n.token as fenced, (n.status = 'queued')::int - (o.status = 'queued')::int as delta
    from old_rows o full join new_rows n on n.id = o.id
  ), told as (
    insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, payload)
      select (select event_batch_id()), 'run.status', p.deployment_id, p.node_id, p.noderole_id, p.id,
             jsonb_build_object('from', p.was, 'to', p.now, 'kind', p.kind, 'token', p.token, 'lane', p.lane, 'error', p.error)
      from pair p where p.was <> p.now or p.fenced order by p.id
  ), lanes as (
    select node_id, lane, sum(delta)::int as delta from pair where delta <> 0 group by node_id, lane
  )
  update node_lane l set ready = l.ready + d.delta, queued = l.queued + d.delta
    from lanes d where d.delta <> 0 and l.node_id = d.node_id and l.lane = d.lane;
  return null;
end $$;

create or replace function run_added() returns trigger language plpgsql as $$
begin
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, payload)
    select (select event_batch_id()), 'run.status', n.deployment_id, n.node_id, n.noderole_id, n.id,
           jsonb_build_object('from', null, 'to', n.status, 'kind', n.kind, 'token', n.token, 'lane', n.lane, 'worker', n.worker_id)
    from new_rows n order by n.id;
  update node_lane l set ready = l.ready + d.queued, queued = l.queued + d.queued,
      ready_since = case when l.ready <= 0 then now() else l.ready_since end
    from (select node_id, lane, count(*)::int as queued from new_rows where status = 'queued' group by node_id, lane) d
    where l.node_id = d.node_id and l.lane = d.lane;
  if found then
    perform pg_notify('hostwright_wake', '');
  end if;
  return null;
end $$;

create or replace function noderole_removed() returns trigger language plpgsql as $$
begin
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, payload)
    select (select event_batch_id()), 'noderole.removed', o.deployment_id, o.node_id, o.id,
           jsonb_build_object('from', o.state, 'role', o.role_id)
    from old_rows o order by o.id;
  update node_lane l set ready = l.ready - d.gone, busy = l.busy and not d.held
    from (select node_id, lane, count(*) filter (where state = 'todo' and holds = '{}')::int as gone, bool_or(run_id is not null) as held
          from old_rows group by node_id, lane) d
    where (d.gone > 0 or d.held) and l.node_id = d.node_id and l.lane = d.lane;
  return null;
end $$;

create or replace function node_changed() returns trigger language plpgsql as $$
begin
  update node_lane l set open = d.open, ready_since = now()
    from (select n.id, n.alive and n.available and n.deleted_at is null as open
          from old_rows o join new_rows n using (id)
          where (o.alive and o.available and o.deleted_at is null) <> (n.alive and n.available and n.deleted_at is null)) d
    where l.node_id = d.id;
  if found then
    perform pg_notify('hostwright_wake', '');
  end if;
  insert into event (batch_id, kind, deployment_id, node_id, payload)
    select event_batch_id(), case when n.deleted_at is not null and o.deleted_at is null then 'node.deleted' else 'node.changed' end,
           n.deployment_id, n.id,
           jsonb_strip_nulls(jsonb_build_object(
             'name', n.name,
             'alive', case when o.alive <> n.alive then n.alive end,
             'aliveReason', case when o.alive <> n.alive then n.alive_reason end,
             'available', case when o.available <> n.available then n.available end,
             'bootenv', case when o.bootenv <> n.bootenv then n.bootenv end,
             'bootEpoch', case when o.boot_epoch <> n.boot_epoch then n.boot_epoch end,
             'deployment', case when o.deployment_id <> n.deployment_id then n.deployment_id end,
             'facts', case when o.discovery <> n.discovery then true end,
             'hint', case when o.hint <> n.hint then true end,
             'labels', case when o.labels <> n.labels then n.labels end))
    from old_rows o join new_rows n using (id)
    where (o.name, o.alive, o.available, o.bootenv, o.boot_epoch, o.deployment_id, o.discovery, o.hint, o.labels, o.description, o.deleted_at)
      is distinct from (n.name, n.alive, n.available, n.bootenv, n.boot_epoch, n.deployment_id, n.discovery, n.hint, n.labels, n.description, n.deleted_at)
    order by n.id;
  return null;
end $$;
