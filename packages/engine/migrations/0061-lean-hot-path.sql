-- Each noderole of a large commit pays less: of the fourteen index entries that a run and its two events
-- made, two are gone; a claim finds each noderole once and not twice; triggers ask first what is cheap.

-- Runs of a noderole are found among the runs of its node. Where that was, of one that is gone, is kept.
create table removed_noderole (
  id bigint primary key,
  node_id bigint not null
);
insert into removed_noderole
  select r.noderole_id, min(r.node_id) from run r
  where not exists (select from noderole w where w.id = r.noderole_id) group by r.noderole_id;

drop index run_noderole;
drop index run_node;
create index run_node on run (node_id, id desc) include (noderole_id);

create or replace function noderole_removed() returns trigger language plpgsql as $$
begin
  delete from unsettled u using old_rows o where u.noderole_id = o.id;
  insert into removed_noderole select o.id, o.node_id from old_rows o;
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

drop trigger noderole_batch_illegal on noderole;
create trigger noderole_batch_illegal after update on noderole for each row
  when (old.state <> new.state and not (
    (old.state = 'todo' and new.state = 'transition' and old.run_id is null)
    or (old.state = 'transition' and new.state = 'active' and new.run_id is null)
    or (old.state = 'blocked' and new.state = 'todo' and new.pending = 0)) and told_by_batch())
  execute function noderole_batch_illegal();

-- As before, but the noderole is changed first, under the number that its run then gets.
create or replace function start_runs(worker bigint, noderoles bigint[], jigs text[], epochs bigint[], deadlines integer[], reboots boolean[],
    inputs text[], frozen text[])
  returns table (id bigint, noderole_id bigint, token bigint, deadline_at timestamptz)
  language plpgsql set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_column
begin
  perform set_config('hostwright.tells', 'batch', true);
  return query
  with moved as (
    update noderole w set run_id = nextval('run_id_seq'), stale = false, state = 'transition', state_since = now()
    from unnest(noderoles, jigs, epochs, deadlines, reboots, inputs, frozen) as p(id, jig, epoch, deadline, reboots, input, frozen)
    where w.id = p.id and w.state = 'todo' and w.run_id is null
      and not exists (select from run r where r.node_id = w.node_id and r.lane = w.lane and r.status in ('running', 'waiting', 'cancelling'))
    returning w.run_id as id, w.id as noderole_id, w.node_id, w.role_id, w.deployment_id, w.lane, w.failures, w.cause, w.revision,
      p.jig, p.epoch, p.reboots, p.input, p.frozen, now() + p.deadline * interval '1 second' as deadline_at
  ), given as materialized (
    select m.*, nextval('fencing_token') as token from moved m
  ), started as (
    insert into run (id, token, noderole_id, node_id, role_id, deployment_id, lane, jig, kind, status, attempt, worker_id, boot_epoch,
                     deadline_at, expects_reboot, input_hash, attribs_hash, cause, started_at)
    overriding system value
    select g.id, g.token, g.noderole_id, g.node_id, g.role_id, g.deployment_id, g.lane, g.jig, 'run', 'running', g.failures + 1, worker, g.epoch,
           g.deadline_at, g.reboots, g.input, g.frozen, g.cause, statement_timestamp()
    from given g
  ), lanes as (
    update node_lane l set ready = l.ready - 1, busy = true
    from given g where l.node_id = g.node_id and l.lane = g.lane
  ), told as (
    insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, token, worker_id, role_id, lane, cause, revision)
    select (select event_batch_id()), 'run.claimed', g.deployment_id, g.node_id, g.noderole_id, g.id, g.token, worker, g.role_id, g.lane, g.cause, g.revision
    from given g
  )
  select g.id, g.noderole_id, g.token, g.deadline_at from given g;
  perform set_config('hostwright.tells', '', true);
end $$;
