-- Which servers are behind on which nodes, kept where versions are made: whoever feeds a server reads
-- what has changed, not all nodes. A row has the version that is wanted; a proof of it takes the row away.
create table boot_behind (
  server_id bigint not null references boot_server on delete cascade,
  node_id bigint not null references node on delete cascade,
  version bigint not null,
  primary key (server_id, node_id)
);
create index boot_behind_version on boot_behind (server_id, version);

-- The number is drawn once the row is held: one that was drawn before, and waited for a change that drew two,
-- would take the version back to what servers have proved already, and its change would never be fed.
create or replace function bump_node_boot(nodes bigint[]) returns void language plpgsql as $$
begin
  -- in id order: two bumps of the same nodes cannot deadlock
  insert into node_boot (node_id, version)
    select n.id, nextval('boot_config_version') from (select distinct id from unnest(nodes) t(id) where id is not null order by id) n
    where exists (select 1 from node where node.id = n.id)
  on conflict (node_id) do update set version = nextval('boot_config_version');
  if found then perform pg_notify('hostwright_boot', ''); end if;
end $$;

-- Shared by all who make versions, alone for one who adds a server: neither can miss the other.
create function boot_behind_lock() returns bigint language sql immutable as $$ select hashtextextended('boot_behind', 0) $$;

create function node_boot_queued() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(boot_behind_lock());
  -- always an update, never nothing: the row lock keeps a proof of the version before from taking the row away;
  -- servers are locked, so that one which goes at this moment is left out, and no node's change fails for it
  insert into boot_behind (server_id, node_id, version)
    select s.id, n.node_id, n.version from new_rows n cross join (select id from boot_server for key share) s order by s.id, n.node_id
  on conflict (server_id, node_id) do update set version = excluded.version;
  return null;
end $$;
create trigger node_boot_queued_new after insert on node_boot
  referencing new table as new_rows for each statement execute function node_boot_queued();
create trigger node_boot_queued_again after update on node_boot
  referencing new table as new_rows for each statement execute function node_boot_queued();

create function boot_server_queued() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(boot_behind_lock());
  insert into boot_behind (server_id, node_id, version) select new.id, node_id, version from node_boot order by node_id;
  return null;
end $$;
create trigger boot_server_queued after insert on boot_server for each row execute function boot_server_queued();

create function boot_ack_given() returns trigger language plpgsql as $$
begin
  -- A row that is held is being changed, and stays: whoever changes nodes in several statements must neither
  -- be waited for nor deadlocked with. If the change is given up, the same version is fed and proved again.
  with proved as (
    select q.server_id, q.node_id from boot_behind q join new_rows a using (server_id, node_id)
    where q.version <= a.version for update of q skip locked)
  delete from boot_behind q using proved p where (q.server_id, q.node_id) = (p.server_id, p.node_id);
  return null;
end $$;
create trigger boot_ack_given_new after insert on boot_ack
  referencing new table as new_rows for each statement execute function boot_ack_given();
create trigger boot_ack_given_again after update on boot_ack
  referencing new table as new_rows for each statement execute function boot_ack_given();

-- A server that lost its data holds nothing; one that is gone with its acknowledgements wants nothing.
create function boot_ack_taken_back() returns trigger language plpgsql as $$
begin
  insert into boot_behind (server_id, node_id, version)
    select o.server_id, o.node_id, b.version from old_rows o
    join boot_server s on s.id = o.server_id join node_boot b on b.node_id = o.node_id
    order by o.server_id, o.node_id
  on conflict (server_id, node_id) do update set version = greatest(boot_behind.version, excluded.version);
  return null;
end $$;
create trigger boot_ack_taken_back after delete on boot_ack
  referencing old table as old_rows for each statement execute function boot_ack_taken_back();

-- Last, when the triggers stand: nobody changes a node between the two.
insert into boot_behind (server_id, node_id, version)
  select s.id, b.node_id, b.version from boot_server s cross join node_boot b
  left join boot_ack a on a.server_id = s.id and a.node_id = b.node_id
  where a.version is null or a.version < b.version;
