-- Claims and plain successes, which are nearly all that ever happens, are written by two functions, a
-- batch at a time, that also write the events and the lanes' counts of what they change. For all other
-- changes the triggers do that, as before. docs/adr/0008 has the measurements.

-- ---------------------------------------------------------------- events, two changes in a row

-- A claim changes a run and its noderole, a success a run, its noderole and mostly one child: each is
-- one row of event. event_record shows them as the two or three events they are; ids leave room for that.
alter table event
  add column token bigint,                   -- set in such a row, whose kind is run.claimed or run.done
  add column worker_id bigint,
  add column role_id bigint,
  add column lane text,
  add column cause text,
  add column revision bigint,
  add column child_id bigint,                -- of the same node and deployment, cause and revision: is todo now
  add column child_role_id bigint;
alter sequence event_id_seq increment by 4;

create view event_record as
  select e.batch_id, e.id as row_id, p.step, e.id + p.step as id, p.kind, e.at, e.deployment_id, e.node_id, p.noderole_id, p.run_id, p.payload
  from event e cross join lateral (
    select 0 as step, e.kind as kind, e.noderole_id, e.run_id, e.payload where e.token is null
    union all
    select 0, 'run.status', e.noderole_id, e.run_id, case when e.kind = 'run.claimed'
        then jsonb_build_object('from', null, 'to', 'running', 'kind', 'run', 'token', e.token, 'lane', e.lane, 'worker', e.worker_id)
        else jsonb_build_object('from', 'running', 'to', 'succeeded', 'kind', 'run', 'token', e.token, 'lane', e.lane, 'error', null) end
      where e.token is not null
    union all
    select 1, 'noderole.state', e.noderole_id, case when e.kind = 'run.claimed' then e.run_id end,
        jsonb_build_object('from', case when e.kind = 'run.claimed' then 'todo' else 'transition' end,
          'to', case when e.kind = 'run.claimed' then 'transition' else 'active' end,
          'role', e.role_id, 'reason', '', 'cause', e.cause, 'revision', e.revision)
      where e.token is not null
    union all
    select 2, 'noderole.state', e.child_id, null,
        jsonb_build_object('from', 'blocked', 'to', 'todo', 'role', e.child_role_id, 'reason', '', 'cause', e.cause, 'revision', e.revision)
      where e.child_id is not null
  ) p;

-- ---------------------------------------------------------------- what is not at rest

-- A column that an index looks at makes every change of it an entry in every index of the row, and all
-- noderoles come to rest. So the list of those that are not is a table of its own: one row deleted
-- instead of four entries written. Kept by the triggers of noderole and by end_runs.
create table unsettled (noderole_id bigint primary key);
insert into unsettled select id from noderole where state <> 'active';
drop index noderole_unsettled;
drop index noderole_snapshot;
alter table noderole drop column settled;
create index noderole_snapshot on noderole (snapshot_id) where snapshot_id is not null;
alter table unsettled set (autovacuum_vacuum_scale_factor = 0.5, autovacuum_vacuum_cost_delay = 0);

create or replace function noderole_added() returns trigger language plpgsql as $$
begin
  insert into unsettled select n.id from new_rows n where n.state <> 'active';
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, payload)
    select (select event_batch_id()), 'noderole.state', n.deployment_id, n.node_id, n.id,
           jsonb_build_object('from', null, 'to', n.state, 'role', n.role_id, 'cause', n.cause, 'revision', n.revision)
    from new_rows n order by n.id;
  update node_lane l set ready = l.ready + d.added, next_noderole = null,
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

create or replace function noderole_removed() returns trigger language plpgsql as $$
begin
  delete from unsettled u using old_rows o where u.noderole_id = o.id;
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

-- The one thing ready on a lane, if it is known to be the only one: a claim then need not look through
-- all noderoles of the node. Never believed unseen: the claim tests it again.
alter table node_lane add column next_noderole bigint;

-- ---------------------------------------------------------------- the rule for everybody else

-- Set by start_runs and end_runs around what they write, and by nobody else.
create function told_by_batch() returns boolean language sql stable as $$
  select coalesce(current_setting('hostwright.tells', true), '') = 'batch'
$$;

-- As before, for whole statements, with lanes in order so that two of them cannot wait for each other.
create or replace function noderole_changed() returns trigger language plpgsql as $$
declare bad text; woken bigint;
begin
  if told_by_batch() then
    return null;
  end if;
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
  ), rested as (
    delete from unsettled u using pair p where u.noderole_id = p.id and p.was <> 'active' and p.now = 'active'
  ), stirred as (
    insert into unsettled select p.id from pair p where p.was = 'active' and p.now <> 'active' on conflict do nothing
  ), lanes as (
    select node_id, lane, max(priority) filter (where delta > 0) as priority, sum(delta)::int as delta, sum(held)::int as held,
      max(id) filter (where delta > 0) as newest
    from pair where delta <> 0 or held <> 0 group by node_id, lane order by node_id, lane
  ), moved as (
    -- greatest and coalesce pass over null: nothing came, the priority stays
    update node_lane l set ready = l.ready + d.delta,
        busy = case when d.held > 0 then true when d.held < 0 then false else l.busy end,
        ready_since = case when d.held < 0 or (l.ready <= 0 and d.delta > 0) then now() else l.ready_since end,
        next_noderole = case when d.newest is null then l.next_noderole when l.ready <= 0 and d.delta = 1 then d.newest end,
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

-- What a batch may do, it may do only so: the law holds for it too.
create function noderole_batch_illegal() returns trigger language plpgsql as $$
begin
  raise exception 'noderole % may not go from % to % in a batch', old.id, old.state, new.state
    using errcode = 'check_violation', constraint = 'noderole_state_change_legal';
end $$;
create trigger noderole_batch_illegal after update on noderole for each row
  when (old.state <> new.state and told_by_batch() and not (
    (old.state = 'todo' and new.state = 'transition' and old.run_id is null)
    or (old.state = 'transition' and new.state = 'active' and new.run_id is null)
    or (old.state = 'blocked' and new.state = 'todo' and new.pending = 0)))
  execute function noderole_batch_illegal();

drop trigger run_changed on run;
create or replace function run_changed() returns trigger language plpgsql as $$
declare delta integer := (new.status = 'queued')::int - (old.status = 'queued')::int;
begin
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, payload)
    values (event_batch_id(), 'run.status', new.deployment_id, new.node_id, new.noderole_id, new.id,
      jsonb_build_object('from', old.status, 'to', new.status, 'kind', new.kind, 'token', new.token, 'lane', new.lane, 'error', new.error));
  if delta <> 0 then
    update node_lane l set ready = l.ready + delta, queued = l.queued + delta
      where l.node_id = new.node_id and l.lane = new.lane;
  end if;
  return null;
end $$;
create trigger run_changed after update on run for each row
  when ((old.status <> new.status or old.token <> new.token) and not told_by_batch())
  execute function run_changed();

drop trigger run_added on run;
create or replace function run_added() returns trigger language plpgsql as $$
begin
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, payload)
    values (event_batch_id(), 'run.status', new.deployment_id, new.node_id, new.noderole_id, new.id,
      jsonb_build_object('from', null, 'to', new.status, 'kind', new.kind, 'token', new.token, 'lane', new.lane, 'worker', new.worker_id));
  if new.status = 'queued' then
    update node_lane l set ready = l.ready + 1, queued = l.queued + 1,
        ready_since = case when l.ready <= 0 then now() else l.ready_since end
      where l.node_id = new.node_id and l.lane = new.lane;
    perform pg_notify('hostwright_wake', '');
  end if;
  return null;
end $$;
create trigger run_added after insert on run for each row
  when (not told_by_batch())
  execute function run_added();

-- ---------------------------------------------------------------- a batch of claims

-- The noderoles are locked by the caller, their lanes too. A lane that has a live run all the same is
-- passed over. Nested loops by index, whatever the tables were like when the statement was planned:
-- an empty table's plan reads the whole of it once for each batch ever after.
create function start_runs(worker bigint, noderoles bigint[], jigs text[], epochs bigint[], deadlines integer[], reboots boolean[],
    inputs text[], frozen text[])
  returns table (id bigint, noderole_id bigint, token bigint, deadline_at timestamptz)
  language plpgsql set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_column
begin
  perform set_config('hostwright.tells', 'batch', true);
  return query
  with started as (
    insert into run (noderole_id, node_id, role_id, deployment_id, lane, jig, kind, status, attempt, worker_id, boot_epoch,
                     deadline_at, expects_reboot, input_hash, attribs_hash, cause, started_at)
    select w.id, w.node_id, w.role_id, w.deployment_id, w.lane, p.jig, 'run', 'running', w.failures + 1, worker, p.epoch,
           now() + p.deadline * interval '1 second', p.reboots, p.input, p.frozen, w.cause, statement_timestamp()
    from unnest(noderoles, jigs, epochs, deadlines, reboots, inputs, frozen) as p(id, jig, epoch, deadline, reboots, input, frozen)
    join noderole w on w.id = p.id and w.state = 'todo' and w.run_id is null
    where not exists (select from run r where r.node_id = w.node_id and r.lane = w.lane and r.status in ('running', 'waiting', 'cancelling'))
    returning run.id, run.noderole_id, run.node_id, run.role_id, run.deployment_id, run.lane, run.token, run.cause, run.deadline_at
  ), moved as (
    update noderole w set run_id = s.id, stale = false, state = 'transition', state_since = now()
    from started s where w.id = s.noderole_id
    returning s.*, w.revision
  ), lanes as (
    update node_lane l set ready = l.ready - 1, busy = true
    from moved m where l.node_id = m.node_id and l.lane = m.lane
  ), told as (
    insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, token, worker_id, role_id, lane, cause, revision)
    select (select event_batch_id()), 'run.claimed', m.deployment_id, m.node_id, m.noderole_id, m.id, m.token, worker, m.role_id, m.lane, m.cause, m.revision
    from moved m
  )
  select m.id, m.noderole_id, m.token, m.deadline_at from moved m;
  perform set_config('hostwright.tells', '', true);
end $$;

-- ---------------------------------------------------------------- a batch of plain successes

-- Ends those of the runs that are still running under their token. They come back with the number of
-- lines their log had and the commit they belong to. The rest is left for the caller. Raises HW001, and so changes nothing, if a
-- noderole has anything out of the ordinary: moved inputs, a removal, a parent that is gone again.
-- Locks runs, their noderoles, children in order of id, lanes in order.
create function end_runs(runs bigint[], tokens bigint[], lines integer[])
  returns table (id bigint, logged integer, snapshot_id bigint)
  language plpgsql set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
  found_runs integer; own bigint[]; held bigint[]; nodes bigint[]; lanes text[]; deployments bigint[]; roles bigint[];
  causes text[]; revisions bigint[]; current bigint[]; children bigint[]; child_roles bigint[]; others bigint[]; wakes boolean; soft boolean;
  edges_read bigint; edges_now bigint;
  logged_lines integer[]; snapshots bigint[];
begin
  perform set_config('hostwright.tells', 'batch', true);
  with done as (
    update run r set status = 'succeeded', ended_at = now(), error = null, blame = null, retryable = null, waiting_for = null,
      log_lines = r.log_lines + c.lines
    from unnest(runs, tokens, lines) as c(id, token, lines)
    -- not plainly r.status: an index of live runs would look cheaper than one descent for each
    where r.id = c.id and r.token = c.token and r.status || '' = 'running' and r.kind = 'run'
    returning r.id, r.noderole_id, r.input_hash, r.token, r.log_lines - c.lines as logged
  ), moved as (
    update noderole w set state = 'active', state_since = now(), run_id = null, stale = false, reason = '', blocked_by = null,
      drifted = false, drift_reason = null, input_hash = d.input_hash, run_count = w.run_count + 1, failures = 0
    from done d
    where w.id = d.noderole_id and w.run_id = d.id and w.state = 'transition' and not w.stale and not w.removing and w.pending = 0
      and w.cause <> 'its worker was lost'
    returning d.id as run_id, d.token, d.logged, w.id, w.node_id, w.lane, w.deployment_id, w.role_id, w.cause, w.revision, w.snapshot_id
  )
  select (select count(*) from done), array_agg(m.run_id), array_agg(m.token), array_agg(m.id), array_agg(m.node_id), array_agg(m.lane),
    array_agg(m.deployment_id), array_agg(m.role_id), array_agg(m.cause), array_agg(m.revision),
    array_agg(m.logged), array_agg(m.snapshot_id)
  into found_runs, held, current, own, nodes, lanes, deployments, roles, causes, revisions, logged_lines, snapshots
  from (select * from moved order by id) m;
  if found_runs <> coalesce(cardinality(own), 0) then
    raise exception 'a noderole has more to it than a plain success' using errcode = 'HW001';
  end if;
  if found_runs > 0 then
    -- edges as they are now that the parents are locked
    with own_rows as materialized (
      select * from unnest(own, nodes, lanes, deployments, causes, revisions) as o(id, node_id, lane, deployment_id, cause, revision)
    ), kids as materialized (
      select e.child_id, count(*) filter (where not e.soft)::int as parents, bool_or(e.soft) as soft, min(o.id) as parent_id,
        bit_xor(hashint8extended(e.parent_id, e.child_id)) as edges,
        min(o.node_id) as node_id, min(o.deployment_id) as deployment_id, min(o.cause) as cause, min(o.revision) as revision
      from own_rows o join edge e on e.parent_id = o.id group by e.child_id order by e.child_id
    ), fed as (
      update noderole c set pending = greatest(0, c.pending - k.parents),
        state = case when c.state = 'blocked' and c.pending <= k.parents then 'todo' else c.state end,
        state_since = case when c.state = 'blocked' and c.pending <= k.parents then now() else c.state_since end,
        reason = case when c.state = 'blocked' and c.pending <= k.parents then '' else c.reason end,
        blocked_by = case when c.state = 'blocked' and c.pending <= k.parents then null else c.blocked_by end
      from kids k where c.id = k.child_id and k.parents > 0
      returning c.id, c.node_id, c.lane, c.role_id, c.priority, c.holds, c.state = 'todo' and c.state_since = now() as woke, k.parent_id,
        k.parents = 1 and k.node_id = c.node_id and k.deployment_id = c.deployment_id and k.cause = c.cause and k.revision = c.revision as alike
    ), awake as materialized (
      select f.*, f.alike and row_number() over (partition by f.parent_id order by not f.alike, f.id) = 1 as folded from fed f where f.woke
    ), counted as (
      update node_lane l set ready = l.ready + d.more,
          next_noderole = case when d.more = 0 then l.next_noderole when l.ready <= 0 and d.more = 1 then d.child_id end,
          busy = case when d.freed then false else l.busy end,
          ready_since = case when d.freed or (l.ready <= 0 and d.more > 0) then now() else l.ready_since end,
          priority = case when l.ready <= 0 then coalesce(d.priority, l.priority) else greatest(l.priority, d.priority) end
        from (
          select x.node_id, x.lane, bool_or(x.freed) as freed, sum(x.more)::int as more, max(x.priority) as priority, max(x.child_id) as child_id from (
            select o.node_id, o.lane, true as freed, 0 as more, null::int as priority, null::bigint as child_id from own_rows o
            union all select a.node_id, a.lane, false, 1, a.priority, a.id from awake a where a.holds = '{}') x
          group by x.node_id, x.lane order by x.node_id, x.lane) d
        where l.node_id = d.node_id and l.lane = d.lane
        returning d.more > 0 and l.open as wakes
    ), rested as (
      delete from unsettled u using own_rows o where u.noderole_id = o.id
    ), pairs as (
      select x.id, max(x.child_id) as child_id, max(x.role_id) as role_id from (
        select o.id, null::bigint as child_id, null::bigint as role_id from own_rows o
        union all select a.parent_id, a.id, a.role_id from awake a where a.folded) x
      group by x.id order by x.id
    )
    select (select bool_or(c.wakes) from counted c), (select bool_or(k.soft) from kids k), (select bit_xor(k.edges) from kids k),
      (select array_agg(a.id) from awake a where not a.folded), array_agg(p.child_id), array_agg(p.role_id)
    into wakes, soft, edges_read, others, children, child_roles from pairs p;
    -- a commit that took a child elsewhere may have held it until now: then these were the edges of before
    select bit_xor(hashint8extended(e.parent_id, e.child_id)) into edges_now from unnest(own) as o(id) join edge e on e.parent_id = o.id;
    if edges_now is distinct from edges_read then
      raise exception 'edges changed meanwhile' using errcode = 'HW001';
    end if;
    insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, token, role_id, lane, cause, revision, child_id, child_role_id)
      select (select event_batch_id()), 'run.done', o.deployment_id, o.node_id, o.id, o.run_id, o.token, o.role_id, o.lane, o.cause, o.revision,
        o.child_id, o.child_role_id
      from unnest(own, held, current, nodes, lanes, deployments, roles, causes, revisions, children, child_roles)
        as o(id, run_id, token, node_id, lane, deployment_id, role_id, cause, revision, child_id, child_role_id);
    if others is not null then
      insert into event (batch_id, kind, deployment_id, node_id, noderole_id, payload)
        select (select event_batch_id()), 'noderole.state', w.deployment_id, w.node_id, w.id,
          jsonb_build_object('from', 'blocked', 'to', 'todo', 'role', w.role_id, 'reason', '', 'cause', w.cause, 'revision', w.revision)
        from unnest(others) as o(id) join noderole w on w.id = o.id;
    end if;
    if wakes then
      perform pg_notify('hostwright_wake', '');
    end if;
  end if;
  perform set_config('hostwright.tells', '', true);
  if soft then
    update noderole c set holds = array_remove(c.holds, 'order')
      where c.id in (select e.child_id from unnest(own) as o(id) join edge e on e.parent_id = o.id and e.soft) and 'order' = any(c.holds);
  end if;
  return query select * from unnest(held, logged_lines, snapshots);
end $$;
