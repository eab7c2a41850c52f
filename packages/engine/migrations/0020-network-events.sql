-- Networks and allocations say what happens to them, in the transaction in which it does.

create function network_said() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into event (batch_id, kind, payload)
      select event_batch_id(), 'network.created', jsonb_build_object('id', n.id, 'name', n.name) from new_rows n order by n.id;
  elsif tg_op = 'UPDATE' then
    insert into event (batch_id, kind, payload)
      select event_batch_id(), 'network.changed', jsonb_build_object('id', n.id, 'name', n.name)
      from old_rows o join new_rows n using (id) where o is distinct from n order by n.id;
  else
    insert into event (batch_id, kind, payload)
      select event_batch_id(), 'network.deleted', jsonb_build_object('id', o.id, 'name', o.name) from old_rows o order by o.id;
  end if;
  return null;
end $$;
create trigger network_said_added after insert on network referencing new table as new_rows for each statement execute function network_said();
create trigger network_said_changed after update on network referencing old table as old_rows new table as new_rows for each statement execute function network_said();
create trigger network_said_removed after delete on network referencing old table as old_rows for each statement execute function network_said();

-- Ranges and routers are part of their network. A network that is going takes them with it unsaid.
create function network_part_said(networks bigint[]) returns void language sql as $$
  insert into event (batch_id, kind, payload)
    select event_batch_id(), 'network.changed', jsonb_build_object('id', n.id, 'name', n.name)
    from network n where n.id = any(networks) order by n.id;
$$;
create function network_part_added() returns trigger language plpgsql as $$
begin
  perform network_part_said(array(select distinct network_id from new_rows));
  return null;
end $$;
create function network_part_removed() returns trigger language plpgsql as $$
begin
  perform network_part_said(array(select distinct network_id from old_rows));
  return null;
end $$;
create trigger network_range_said_added after insert on network_range referencing new table as new_rows for each statement execute function network_part_added();
create trigger network_range_said_changed after update on network_range referencing new table as new_rows for each statement execute function network_part_added();
create trigger network_range_said_removed after delete on network_range referencing old table as old_rows for each statement execute function network_part_removed();
create trigger router_said_added after insert on router referencing new table as new_rows for each statement execute function network_part_added();
create trigger router_said_changed after update on router referencing new table as new_rows for each statement execute function network_part_added();
create trigger router_said_removed after delete on router referencing old table as old_rows for each statement execute function network_part_removed();

-- An address in quarantine is nobody's: releasing is deleting, taking it again is creating.
create function allocation_said(said text, allocations bigint[], addresses inet[], nodes bigint[], ranges bigint[]) returns void language sql as $$
  insert into event (batch_id, kind, node_id, payload)
    select event_batch_id(), said, a.node, jsonb_build_object('id', a.id, 'address', host(a.address), 'network', n.name, 'range', r.name)
    from unnest(allocations, addresses, nodes, ranges) a(id, address, node, range)
    left join network_range r on r.id = a.range left join network n on n.id = r.network_id order by a.id;
$$;
create function allocation_said_added() returns trigger language plpgsql as $$
begin
  perform allocation_said('allocation.created', array_agg(id order by id), array_agg(address order by id), array_agg(node_id order by id), array_agg(range_id order by id))
    from new_rows where released_at is null having count(*) > 0;
  return null;
end $$;
create function allocation_said_changed() returns trigger language plpgsql as $$
begin
  perform allocation_said(d.kind, array_agg(d.id order by d.id), array_agg(d.address order by d.id), array_agg(d.node_id order by d.id), array_agg(d.range_id order by d.id))
    from (
      select n.id, n.range_id,
        case when n.released_at is not null then o.address else n.address end as address,
        case when n.released_at is not null then o.node_id else n.node_id end as node_id,
        case when o.released_at is null and n.released_at is not null then 'allocation.deleted'
             when o.released_at is not null and n.released_at is null then 'allocation.created'
             else 'allocation.changed' end as kind
      from old_rows o join new_rows n using (id)
      where (o.released_at is null or n.released_at is null)
        and (o.released_at is null, o.address, o.node_id, o.range_id, o.note) is distinct from (n.released_at is null, n.address, n.node_id, n.range_id, n.note)
    ) d group by d.kind;
  return null;
end $$;
create function allocation_said_removed() returns trigger language plpgsql as $$
begin
  perform allocation_said('allocation.deleted', array_agg(id order by id), array_agg(address order by id), array_agg(node_id order by id), array_agg(range_id order by id))
    from old_rows where released_at is null having count(*) > 0;
  return null;
end $$;
create trigger allocation_said_added after insert on allocation referencing new table as new_rows for each statement execute function allocation_said_added();
create trigger allocation_said_changed after update on allocation referencing old table as old_rows new table as new_rows for each statement execute function allocation_said_changed();
create trigger allocation_said_removed after delete on allocation referencing old table as old_rows for each statement execute function allocation_said_removed();
