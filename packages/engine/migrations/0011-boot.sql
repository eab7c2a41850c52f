-- Booting: what a machine is to boot, which server knows it already, and what each boot did.

create table boot_env (
  name text primary key check (name ~ '^[a-z][a-z0-9.-]{0,62}$'),
  kind text not null check (kind in ('local', 'discovery', 'install', 'rescue', 'memtest')),
  description text not null default '',
  kernel text not null default '',           -- path under the boot files; empty for local
  initrds text[] not null default '{}',
  cmdline text not null default '',
  os_template text
);
insert into boot_env (name, kind, description, kernel, initrds, cmdline) values
  ('local', 'local', 'The machine''s own disk', '', '{}', ''),
  ('discovery', 'discovery', 'The discovery image: inventory and agent, in memory only', 'discovery/vmlinuz', '{discovery/initrd.img}', 'console=tty0 console=ttyS0 quiet panic=30'),
  ('rescue', 'rescue', 'The discovery image, with a shell on the console', 'discovery/vmlinuz', '{discovery/initrd.img}', 'console=tty0 console=ttyS0 hostwright.mode=rescue'),
  ('memtest', 'memtest', 'memtest86+', 'memtest/memtest.bin', '{}', '');

create table os_template (
  name text primary key check (name ~ '^[a-z][a-z0-9.-]{0,62}$'),
  title text not null,
  family text not null,
  version text not null,
  kind text not null check (kind in ('preseed', 'autoinstall', 'kickstart', 'image')),
  folder text not null,
  content_hash text not null,
  data jsonb not null default '{}',
  imported_at timestamptz not null default now()
);

-- What the provisioner serves, with what it must be. A file whose bytes differ is never served.
create table boot_file (
  path text primary key check (path ~ '^[A-Za-z0-9][A-Za-z0-9._+-]*(/[A-Za-z0-9][A-Za-z0-9._+-]*)*$'),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  size bigint not null check (size >= 0),
  updated_at timestamptz not null default now()
);

-- One decision about one boot of one node. Only the hash of its token is kept.
create table boot_intent (
  id bigint generated always as identity primary key,
  node_id bigint references node on delete cascade,
  mac text check (mac ~ '^([0-9a-f]{2}:){5}[0-9a-f]{2}$'),
  bootenv text not null references boot_env,
  run_id bigint,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  void_at timestamptz,
  void_reason text,
  constraint boot_intent_for_somebody check (node_id is not null or mac is not null)
);
create unique index boot_intent_one_open_per_node on boot_intent (node_id) where used_at is null and void_at is null and node_id is not null;
create index boot_intent_node on boot_intent (node_id, id desc);
create index boot_intent_strangers on boot_intent (created_at) where node_id is null;
create index boot_intent_mac on boot_intent (mac) where node_id is null and used_at is null and void_at is null;

-- One-time tokens of machines that boot: purpose seed = the loader may fetch the seed of this boot;
-- installer = the installer may report; os = the installed system may report that it is up.
create table boot_token (
  hash bytea primary key,
  intent_id bigint not null references boot_intent on delete cascade,
  purpose text not null check (purpose in ('seed', 'installer', 'os')),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index boot_token_intent on boot_token (intent_id);

-- Flight recorder: one attempt per boot, its events in order.
create table boot_attempt (
  id bigint generated always as identity primary key,
  node_id bigint references node on delete cascade,
  mac text,
  system_uuid text,
  firmware text not null default '',
  intent_id bigint references boot_intent on delete set null,
  started_at timestamptz not null default now(),
  script_at timestamptz,                     -- when it was told what to boot: a second time is a new attempt
  hello_at timestamptz
);
create index boot_attempt_node on boot_attempt (node_id, id desc);
create index boot_attempt_mac on boot_attempt (mac, id desc);
create table boot_event (
  id bigint generated always as identity primary key,
  attempt_id bigint not null references boot_attempt on delete cascade,
  at timestamptz not null default now(),
  kind text not null check (kind in ('power', 'dhcp', 'tftp', 'script', 'file', 'console', 'phase', 'callback', 'join', 'hello', 'refused')),
  text text not null,
  detail jsonb not null default '{}'
);
create index boot_event_attempt on boot_event (attempt_id, id);

-- The version of what DHCP and DNS must know of a node. Triggers bump it, so no writer can forget.
create sequence boot_config_version;
create table node_boot (
  node_id bigint primary key references node on delete cascade,
  version bigint not null
) with (fillfactor = 70);
create index node_boot_version on node_boot (version);

-- A daemon that is fed, and the version of each node it has proved to hold.
create table boot_server (
  id bigint generated always as identity primary key,
  name text not null constraint boot_server_name_taken unique,
  kind text not null check (kind in ('dnsmasq', 'kea', 'bind')),
  node_id bigint references node on delete cascade,
  noderole_id bigint,                        -- of the database role that feeds it
  active boolean not null default true,
  folder text not null default '',
  error text,                                -- why the last feeding failed
  fed_at timestamptz
);
create table boot_ack (
  server_id bigint not null references boot_server on delete cascade,
  node_id bigint not null references node on delete cascade,
  version bigint not null,
  evidence text not null default '',
  error text,                                -- this node's data was refused; others are not disturbed
  at timestamptz not null default now(),
  primary key (server_id, node_id)
) with (fillfactor = 70);

create function bump_node_boot(nodes bigint[]) returns void language plpgsql as $$
begin
  -- in id order: two bumps of the same nodes cannot deadlock
  insert into node_boot (node_id, version)
    select n.id, nextval('boot_config_version') from (select distinct id from unnest(nodes) t(id) where id is not null order by id) n
    where exists (select 1 from node where node.id = n.id)
  on conflict (node_id) do update set version = excluded.version;
  if found then perform pg_notify('hostwright_boot', ''); end if;
end $$;

create function node_boot_changed() returns trigger language plpgsql as $$
begin
  perform bump_node_boot(array(
    select n.id from old_rows o join new_rows n using (id)
    where (o.name, o.macs, o.bootenv, o.deleted_at is null) is distinct from (n.name, n.macs, n.bootenv, n.deleted_at is null)));
  return null;
end $$;
create trigger node_boot_changed after update on node
  referencing old table as old_rows new table as new_rows
  for each statement execute function node_boot_changed();

create function node_boot_added() returns trigger language plpgsql as $$
begin
  perform bump_node_boot(array(select id from new_rows));
  return null;
end $$;
create trigger node_boot_added after insert on node
  referencing new table as new_rows for each statement execute function node_boot_added();

create function allocation_boot_added() returns trigger language plpgsql as $$
begin
  perform bump_node_boot(array(select node_id from new_rows));
  return null;
end $$;
create trigger allocation_boot_added after insert on allocation
  referencing new table as new_rows for each statement execute function allocation_boot_added();
create function allocation_boot_changed() returns trigger language plpgsql as $$
begin
  perform bump_node_boot(array(select node_id from old_rows union select node_id from new_rows));
  return null;
end $$;
create trigger allocation_boot_changed after update on allocation
  referencing old table as old_rows new table as new_rows
  for each statement execute function allocation_boot_changed();
create function allocation_boot_removed() returns trigger language plpgsql as $$
begin
  perform bump_node_boot(array(select node_id from old_rows));
  return null;
end $$;
create trigger allocation_boot_removed after delete on allocation
  referencing old table as old_rows for each statement execute function allocation_boot_removed();

-- One installation of an OS: the plan as it was committed, and how far it has come.
create table os_install (
  id bigint generated always as identity primary key,
  node_id bigint not null references node on delete cascade,
  noderole_id bigint not null,
  run_id bigint not null constraint os_install_one_per_run unique,
  plan jsonb not null,
  phase text not null check (phase in ('acks', 'power', 'boot', 'installing', 'restart', 'done', 'failed')),
  phase_since timestamptz not null default now(),
  phase_deadline timestamptz not null,
  boot_epoch bigint not null,                -- of the node when it was started: only a later boot can finish it
  boots integer not null default 0,          -- how often the installer was handed out
  wipe_granted_at timestamptz,               -- from here on it is never handed out again
  error text,
  created_at timestamptz not null default now()
);
create index os_install_node on os_install (node_id, id desc);
create unique index os_install_one_live_per_node on os_install (node_id) where phase not in ('done', 'failed');
