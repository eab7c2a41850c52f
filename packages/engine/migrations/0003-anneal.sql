-- What the annealer needs beyond the base: indexes so that claiming, resuming and holding cost
-- what they touch and not what is at rest; a cancel that waits for a worker; wakes sent by the
-- database itself, so that nobody who makes work can forget to say so.

create index run_queued on run (node_id, lane, id) where status = 'queued';
create index run_queued_deadline on run (deadline_at) where status = 'queued' and deadline_at is not null;
create index noderole_blocked_by on noderole (blocked_by) where blocked_by is not null;
create index noderole_degraded_by on noderole (degraded_by) where degraded_by is not null;
create index noderole_held on noderole (id) where holds <> '{}';
create index noderole_stale on noderole (id) where stale;
create index noderole_removing on noderole (id) where removing;
create index deployment_paused on deployment (id) where paused;
create index snapshot_unfinished on snapshot (id) where state = 'committed' and finished_at is null;
create index edge_soft on edge (child_id) where soft;
create index consent_used on consent (used_by_run) where used_by_run is not null;

-- A waiting run that is to stop has no worker until one takes the cancelling up.
alter table run drop constraint run_live_has_owner_or_evidence;
alter table run add constraint run_live_has_owner_or_evidence check (
  (status = 'running' and worker_id is not null and deadline_at is not null)
  or (status = 'cancelling' and (worker_id is not null or waiting_for is not null) and deadline_at is not null)
  or (status = 'waiting' and waiting_for is not null and deadline_at is not null)
  or status not in ('running', 'cancelling', 'waiting'));

create or replace function noderole_changed() returns trigger language plpgsql as $$
declare bad record; woken bigint;
begin
  select o.id, o.state as was, n.state as now into bad
    from old_rows o join new_rows n using (id)
    where o.state <> n.state
      and not exists (select 1 from noderole_transition t where t.from_state = o.state and t.to_state = n.state)
    limit 1;
  if found then
    raise exception 'noderole % may not go from % to %', bad.id, bad.was, bad.now
      using errcode = 'check_violation', constraint = 'noderole_state_change_legal';
  end if;
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, payload)
    select event_batch_id(), 'noderole.state', n.deployment_id, n.node_id, n.id, n.run_id,
           jsonb_build_object('from', o.state, 'to', n.state, 'role', n.role_id, 'reason', n.reason, 'cause', n.cause, 'revision', n.revision)
    from old_rows o join new_rows n using (id) where o.state <> n.state
    order by n.id;
  with moved as (
    update node_lane l set ready = l.ready + d.delta,
        ready_since = case when l.ready <= 0 and d.delta > 0 then now() else l.ready_since end,
        priority = case when d.delta < 0 then l.priority when l.ready <= 0 then d.priority else greatest(l.priority, d.priority) end
      from (
        select n.node_id, n.lane, max(n.priority) as priority,
               sum((n.state = 'todo' and n.holds = '{}')::int - (o.state = 'todo' and o.holds = '{}')::int)::int as delta
        from old_rows o join new_rows n using (id)
        where (n.state = 'todo' and n.holds = '{}') <> (o.state = 'todo' and o.holds = '{}')
        group by n.node_id, n.lane
      ) d
      where d.delta <> 0 and l.node_id = d.node_id and l.lane = d.lane
      returning (d.delta > 0 and l.open)::int as woke
  )
  select sum(woke) into woken from moved;
  if woken > 0 then
    perform pg_notify('hostwright_wake', '');
  end if;
  return null;
end $$;

create or replace function noderole_added() returns trigger language plpgsql as $$
begin
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, payload)
    select event_batch_id(), 'noderole.state', n.deployment_id, n.node_id, n.id,
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

-- busy must follow the live run only: a queued run that is dropped says nothing about the live one.
create or replace function run_changed() returns trigger language plpgsql as $$
begin
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, payload)
    select event_batch_id(), 'run.status', n.deployment_id, n.node_id, n.noderole_id, n.id,
           jsonb_build_object('from', o.status, 'to', n.status, 'kind', n.kind, 'token', n.token, 'lane', n.lane, 'error', n.error)
    from old_rows o join new_rows n using (id) where o.status <> n.status or o.token <> n.token
    order by n.id;
  update node_lane l set
      busy = case when d.moved then d.live else l.busy end,
      ready = l.ready + d.delta,
      ready_since = case when l.busy and d.moved and not d.live then now() else l.ready_since end
    from (
      select n.node_id, n.lane, bool_or(n.status in ('running', 'waiting', 'cancelling')) as live,
             bool_or((n.status in ('running', 'waiting', 'cancelling')) <> (o.status in ('running', 'waiting', 'cancelling'))) as moved,
             sum((n.status = 'queued')::int - (o.status = 'queued')::int)::int as delta
      from old_rows o join new_rows n using (id)
      where o.status <> n.status
      group by n.node_id, n.lane
    ) d
    where (d.moved or d.delta <> 0) and l.node_id = d.node_id and l.lane = d.lane;
  return null;
end $$;

create or replace function run_added() returns trigger language plpgsql as $$
declare queued bigint;
begin
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, payload)
    select event_batch_id(), 'run.status', n.deployment_id, n.node_id, n.noderole_id, n.id,
           jsonb_build_object('from', null, 'to', n.status, 'kind', n.kind, 'token', n.token, 'lane', n.lane, 'worker', n.worker_id)
    from new_rows n order by n.id;
  with moved as (
    update node_lane l set
        busy = l.busy or d.live,
        ready = l.ready + d.queued,
        ready_since = case when l.ready <= 0 and d.queued > 0 then now() else l.ready_since end
      from (
        select node_id, lane, bool_or(status in ('running', 'waiting', 'cancelling')) as live, count(*) filter (where status = 'queued')::int as queued
        from new_rows group by node_id, lane
      ) d
      where l.node_id = d.node_id and l.lane = d.lane
      returning d.queued
  )
  select sum(moved.queued) into queued from moved;
  if queued > 0 then
    perform pg_notify('hostwright_wake', '');
  end if;
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
