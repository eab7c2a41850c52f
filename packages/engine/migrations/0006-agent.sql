-- Tasks for agents wake the servers that hold their polls; a changed node token dies in every
-- server's cache at once.

alter table agent_task add column sha256 text;   -- of the bundle as the agent gets it; stored sealed
alter table agent_task add column masks bytea;   -- sealed: texts that must not show in the log
alter table agent_task add column reason text;   -- why it ended, if not by the scripts' own exit

create function agent_task_offered() returns trigger language plpgsql as $$
begin
  perform pg_notify('hostwright_task', n.node_id::text)
    from (select distinct node_id from new_rows where status = 'offered') n;
  return null;
end $$;
create trigger agent_task_offered after insert on agent_task
  referencing new table as new_rows
  for each statement execute function agent_task_offered();

create function node_token_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('hostwright_node_token', old.node_id::text);
  return null;
end $$;
create trigger node_token_changed after update or delete on node_token
  for each row execute function node_token_changed();
