-- Which servers are behind on which nodes, kept where versions are made: whoever feeds a server reads
-- what has changed, not all nodes. A row has the version that is wanted; a proof of it takes the row away.
create table boot_behind (
  server_id bigint not null references boot_server on delete cascade,
  node_id bigint not null references node on delete cascade,
  version bigint not null,
  primary key (server_id, node_id)
);
create index boot_behind_version on boot_behind (server_id, version);

insert into boot_behind (server_id, node_id, version)
  select s.id, b.node_id, b.version from boot_server s cross join node_boot b
  left join boot_ack a on a.server_id = s.id and a.node_id = b.node_id
  where a.version is null or a.version < b.version;

-- Shared by all who make versions, alone for one who adds a server: neither can miss the other.
create function boot_behind_lock() returns bigint language sql immutable as $$ select hashtextextended('boot_behind', 0) $$;

create function node_boot_queued() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(boot_behind_lock());
  -- always an update, never nothing: the row lock makes a proof of the version before wait, and look again;
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
  -- locked in the order of the makers, so the two cannot deadlock
  with proved as (
    select q.server_id, q.node_id from boot_behind q join new_rows a using (server_id, node_id)
    where q.version <= a.version order by q.server_id, q.node_id for update of q)
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
