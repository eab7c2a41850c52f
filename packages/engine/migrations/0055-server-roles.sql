-- A DHCP or DNS server that a server role runs: on which machine, in which life of its data, and
-- which noderole starts it again when it dies.
alter table boot_server
  add column server_noderole_id bigint,       -- of the server role; noderole_id is of the database role
  add column host text not null default '',   -- the machine the daemon runs on, as its workers name it
  add column incarnation text not null default '';   -- of the data it is fed into: another one means that it holds nothing

-- The host keys that the agent found are what SSHFP records say.
create or replace function node_boot_changed() returns trigger language plpgsql as $$
begin
  perform bump_node_boot(array(
    select n.id from old_rows o join new_rows n using (id)
    where (o.name, o.macs, o.bootenv, o.deleted_at is null) is distinct from (n.name, n.macs, n.bootenv, n.deleted_at is null)
      or o.discovery -> 'ssh_host_keys' is distinct from n.discovery -> 'ssh_host_keys'
      or o.labels is distinct from n.labels and exists (select 1 from name_filter where matcher::text like '%"node.label.%')
      or o.deployment_id is distinct from n.deployment_id
        and exists (select 1 from name_filter where template like '%node.deployment%' or matcher ? 'node.deployment')));
  return null;
end $$;
