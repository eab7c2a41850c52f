-- The names of an address are made from its network, the name filters, and the node's labels, roles and
-- deployment: whoever changes one of these gives the nodes it touches a new boot version, so that DHCP
-- and DNS stay a function of the database.

create function network_boot_changed() returns trigger language plpgsql as $$
begin
  perform bump_node_boot(array(
    select a.node_id from old_rows o join new_rows n using (id)
      join network_range r on r.network_id = n.id join allocation a on a.range_id = r.id
    where (o.name, o.category, o.domain) is distinct from (n.name, n.category, n.domain)
      and a.released_at is null and a.node_id is not null));
  return null;
end $$;
create trigger network_boot_changed after update on network
  referencing old table as old_rows new table as new_rows for each statement execute function network_boot_changed();

create function network_range_boot_changed() returns trigger language plpgsql as $$
begin
  perform bump_node_boot(array(
    select a.node_id from old_rows o join new_rows n using (id) join allocation a on a.range_id = n.id
    where (o.name, o.subnet) is distinct from (n.name, n.subnet) and a.released_at is null and a.node_id is not null));
  return null;
end $$;
create trigger network_range_boot_changed after update on network_range
  referencing old table as old_rows new table as new_rows for each statement execute function network_range_boot_changed();

-- A filter may match any address: every node that has one.
create function name_filter_boot_changed() returns trigger language plpgsql as $$
begin
  perform bump_node_boot(array(select node_id from allocation where released_at is null and node_id is not null));
  return null;
end $$;
create trigger name_filter_boot_changed after insert or update or delete on name_filter
  for each statement execute function name_filter_boot_changed();

create or replace function node_boot_changed() returns trigger language plpgsql as $$
begin
  perform bump_node_boot(array(
    select n.id from old_rows o join new_rows n using (id)
    where (o.name, o.macs, o.bootenv, o.deleted_at is null) is distinct from (n.name, n.macs, n.bootenv, n.deleted_at is null)
      or o.labels is distinct from n.labels and exists (select 1 from name_filter where matcher::text like '%"node.label.%')
      or o.deployment_id is distinct from n.deployment_id
        and exists (select 1 from name_filter where template like '%node.deployment%' or matcher ? 'node.deployment')));
  return null;
end $$;

-- Which conduit a decision was made for: another conduit means another decision.
alter table node_link add column conduit text not null default '';
