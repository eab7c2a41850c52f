-- A machine that the boot endpoint sent into discovery and that then joins: its node boots into
-- discovery until something is installed, and the boot attempts made before it had a node are its own.
create function node_discovered() returns trigger language plpgsql as $$
begin
  update node n set bootenv = 'discovery'
    from new_rows r
    where n.id = r.id and r.bootenv = 'local' and exists (
      select 1 from boot_attempt a join boot_intent i on i.id = a.intent_id
      where a.node_id is null and a.mac = any(r.macs) and i.bootenv = 'discovery' and i.used_at > now() - interval '1 hour');
  update boot_attempt a set node_id = r.id
    from new_rows r
    where a.node_id is null and a.mac = any(r.macs) and a.started_at > now() - interval '1 day';
  insert into boot_event (attempt_id, kind, text)
    select a.id, 'join', 'joined as node ' || r.name
    from new_rows r cross join lateral (select id from boot_attempt where node_id = r.id order by id desc limit 1) a;
  return null;
end $$;
create trigger node_discovered after insert on node
  referencing new table as new_rows for each statement execute function node_discovered();

-- The end of a boot as the flight recorder sees it: the agent of a new boot has said hello.
create function node_said_hello() returns trigger language plpgsql as $$
begin
  with said as (
    select a.id, n.boot_epoch
    from old_rows o join new_rows n using (id)
    cross join lateral (select id from boot_attempt where node_id = n.id and hello_at is null order by id desc limit 1) a
    where n.boot_epoch > o.boot_epoch),
  told as (
    insert into boot_event (attempt_id, kind, text) select id, 'hello', 'the agent said hello in boot ' || boot_epoch from said returning attempt_id)
  update boot_attempt set hello_at = now() where id in (select attempt_id from told);
  return null;
end $$;
create trigger node_said_hello after update on node
  referencing old table as old_rows new table as new_rows for each statement execute function node_said_hello();
