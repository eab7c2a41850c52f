-- These triggers joined the old rows with the new ones by a plan that a session made for its first change and
-- kept: a nested loop, which is quadratic when thousands of nodes change at once (14 s for 4,000). A full join
-- is never one, and what is materialized stays one.

create or replace function node_changed() returns trigger language plpgsql as $$
begin
  with pair as materialized (
    select n.id, o.alive and o.available and o.deleted_at is null as was, n.alive and n.available and n.deleted_at is null as open
    from old_rows o full join new_rows n on n.id = o.id)
  update node_lane l set open = p.open, ready_since = now() from pair p where l.node_id = p.id and p.was <> p.open;
  if found then
    perform pg_notify('hostwright_wake', '');
  end if;
  with pair as materialized (select o, n from old_rows o full join new_rows n on n.id = o.id)
  insert into event (batch_id, kind, deployment_id, node_id, payload)
    select event_batch_id(), case when (n).deleted_at is not null and (o).deleted_at is null then 'node.deleted' else 'node.changed' end,
           (n).deployment_id, (n).id,
           jsonb_strip_nulls(jsonb_build_object(
             'name', (n).name,
             'alive', case when (o).alive <> (n).alive then (n).alive end,
             'aliveReason', case when (o).alive <> (n).alive then (n).alive_reason end,
             'available', case when (o).available <> (n).available then (n).available end,
             'bootenv', case when (o).bootenv <> (n).bootenv then (n).bootenv end,
             'bootEpoch', case when (o).boot_epoch <> (n).boot_epoch then (n).boot_epoch end,
             'deployment', case when (o).deployment_id <> (n).deployment_id then (n).deployment_id end,
             'facts', case when (o).discovery <> (n).discovery then true end,
             'hint', case when (o).hint <> (n).hint then true end,
             'labels', case when (o).labels <> (n).labels then (n).labels end))
    from pair
    where ((o).name, (o).alive, (o).available, (o).bootenv, (o).boot_epoch, (o).deployment_id, (o).discovery, (o).hint, (o).labels, (o).description, (o).deleted_at)
      is distinct from ((n).name, (n).alive, (n).available, (n).bootenv, (n).boot_epoch, (n).deployment_id, (n).discovery, (n).hint, (n).labels, (n).description, (n).deleted_at)
    order by (n).id;
  return null;
end $$;

create or replace function node_boot_changed() returns trigger language plpgsql as $$
begin
  perform bump_node_boot(array(
    with pair as materialized (select o, n from old_rows o full join new_rows n on n.id = o.id)
    select (n).id from pair
    where ((o).name, (o).macs, (o).bootenv, (o).deleted_at is null) is distinct from ((n).name, (n).macs, (n).bootenv, (n).deleted_at is null)
      or (o).discovery -> 'ssh_host_keys' is distinct from (n).discovery -> 'ssh_host_keys'
      or (o).labels is distinct from (n).labels and exists (select 1 from name_filter where matcher::text like '%"node.label.%')
      or (o).deployment_id is distinct from (n).deployment_id
        and exists (select 1 from name_filter where template like '%node.deployment%' or matcher ? 'node.deployment')));
  return null;
end $$;

create or replace function node_said_hello() returns trigger language plpgsql as $$
begin
  with pair as materialized (
    select n.id, n.boot_epoch, o.boot_epoch as was from old_rows o full join new_rows n on n.id = o.id),
  said as (
    select a.id, p.boot_epoch from pair p
    cross join lateral (select id, hello_at from boot_attempt where node_id = p.id order by id desc limit 1) a
    where p.boot_epoch > p.was and a.hello_at is null),
  told as (
    insert into boot_event (attempt_id, kind, text) select id, 'hello', 'the agent said hello in boot ' || boot_epoch from said returning attempt_id)
  update boot_attempt set hello_at = now() where id in (select attempt_id from told);
  return null;
end $$;

create or replace function allocation_said_changed() returns trigger language plpgsql as $$
begin
  perform allocation_said(d.kind, array_agg(d.id order by d.id), array_agg(d.address order by d.id), array_agg(d.node_id order by d.id), array_agg(d.range_id order by d.id))
    from (
      with pair as materialized (select o, n from old_rows o full join new_rows n on n.id = o.id)
      select (n).id, (n).range_id,
        case when (n).released_at is not null then (o).address else (n).address end as address,
        case when (n).released_at is not null then (o).node_id else (n).node_id end as node_id,
        case when (o).released_at is null and (n).released_at is not null then 'allocation.deleted'
             when (o).released_at is not null and (n).released_at is null then 'allocation.created'
             else 'allocation.changed' end as kind
      from pair
      where ((o).released_at is null or (n).released_at is null)
        and ((o).released_at is null, (o).address, (o).node_id, (o).range_id, (o).note) is distinct from ((n).released_at is null, (n).address, (n).node_id, (n).range_id, (n).note)
    ) d group by d.kind;
  return null;
end $$;

create or replace function network_said() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into event (batch_id, kind, payload)
      select event_batch_id(), 'network.created', jsonb_build_object('id', n.id, 'name', n.name) from new_rows n order by n.id;
  elsif tg_op = 'UPDATE' then
    insert into event (batch_id, kind, payload)
      select event_batch_id(), 'network.changed', jsonb_build_object('id', n.id, 'name', n.name)
      from old_rows o full join new_rows n on n.id = o.id where o is distinct from n order by n.id;
  else
    insert into event (batch_id, kind, payload)
      select event_batch_id(), 'network.deleted', jsonb_build_object('id', o.id, 'name', o.name) from old_rows o order by o.id;
  end if;
  return null;
end $$;

create or replace function network_boot_changed() returns trigger language plpgsql as $$
begin
  perform bump_node_boot(array(
    with pair as materialized (select o, n from old_rows o full join new_rows n on n.id = o.id)
    select a.node_id from pair join network_range r on r.network_id = (n).id join allocation a on a.range_id = r.id
    where ((o).name, (o).category, (o).domain) is distinct from ((n).name, (n).category, (n).domain)
      and a.released_at is null and a.node_id is not null));
  return null;
end $$;

create or replace function network_range_boot_changed() returns trigger language plpgsql as $$
begin
  perform bump_node_boot(array(
    with pair as materialized (select o, n from old_rows o full join new_rows n on n.id = o.id)
    select a.node_id from pair join allocation a on a.range_id = (n).id
    where ((o).name, (o).subnet) is distinct from ((n).name, (n).subnet) and a.released_at is null and a.node_id is not null));
  return null;
end $$;
