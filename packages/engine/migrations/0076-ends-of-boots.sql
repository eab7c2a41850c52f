-- What a boot came to where no agent says hello at its end: an installer restarts, rescue has no agent.
alter table boot_attempt add column outcome text
  constraint boot_attempt_outcome check (outcome in ('installed', 'erased', 'failed', 'rescue'));
update boot_attempt a set outcome = 'installed'
  from boot_event e where e.attempt_id = a.id and e.kind = 'phase' and e.text = 'install: restart';

-- The hello of a boot that nobody saw begin (its disk comes first) ended an older boot that never had one.
create or replace function node_said_hello() returns trigger language plpgsql as $$
begin
  with said as (
    select a.id, n.boot_epoch
    from old_rows o join new_rows n using (id)
    cross join lateral (select id, hello_at from boot_attempt where node_id = n.id order by id desc limit 1) a
    where n.boot_epoch > o.boot_epoch and a.hello_at is null),
  told as (
    insert into boot_event (attempt_id, kind, text) select id, 'hello', 'the agent said hello in boot ' || boot_epoch from said returning attempt_id)
  update boot_attempt set hello_at = now() where id in (select attempt_id from told);
  return null;
end $$;

-- A deleted node's machine boots as a stranger; once it is taken back, those boots are its own.
create function node_taken_back() returns trigger language plpgsql as $$
begin
  update boot_attempt set node_id = new.id
    where node_id is null and mac = any(new.macs) and started_at > now() - interval '1 day';
  return null;
end $$;
create trigger node_taken_back after update of deleted_at on node
  for each row when (old.deleted_at is not null and new.deleted_at is null) execute function node_taken_back();
