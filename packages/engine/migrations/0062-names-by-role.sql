-- A name filter that matches on roles: a node's names change with its roles, and the servers must know.
create function noderole_names_changed() returns trigger language plpgsql as $$
begin
  if exists (select from name_filter where matcher ? 'node.role') then
    perform bump_node_boot(array(select distinct node_id from changed_rows));
  end if;
  return null;
end $$;
create trigger noderole_names_added after insert on noderole referencing new table as changed_rows
  for each statement execute function noderole_names_changed();
create trigger noderole_names_removed after delete on noderole referencing old table as changed_rows
  for each statement execute function noderole_names_changed();
