-- Networks and addresses. inet, never text: the same address under two masks is one address.

create type address_range as range (subtype = inet);

create table network (
  id bigint generated always as identity primary key,
  name text not null constraint network_name_taken unique check (name ~ '^[a-z][a-z0-9-]{0,62}$'),
  description text not null default '',
  category text not null default 'general' check (category in ('admin', 'bmc', 'general', 'unmanaged')),
  network_group text not null default '',    -- networks of one group give a node the same host part
  domain text not null default '' check (domain ~ '^([a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?)*)?$'),
  vlan integer check (vlan between 1 and 4094),
  mtu integer check (mtu between 576 and 65535),
  conduit text not null default '' check (conduit ~ '^[a-z0-9+?,-]{0,120}$'),
  bond_mode text check (bond_mode in ('balance-rr', 'active-backup', 'balance-xor', 'broadcast', '802.3ad', 'balance-tlb', 'balance-alb')),
  bridge boolean not null default false,
  configure boolean not null default true,   -- false = addresses are only recorded
  quarantine_seconds integer not null default 86400 check (quarantine_seconds between 0 and 31536000),
  revision bigint not null default 1,
  created_at timestamptz not null default now()
);

-- kind: host = for known nodes; dhcp = pool for machines nobody knows yet; reserved = never handed out
create table network_range (
  id bigint generated always as identity primary key,
  network_id bigint not null references network on delete cascade,
  name text not null check (name ~ '^[a-z][a-z0-9-]{0,62}$'),
  kind text not null default 'host' check (kind in ('host', 'dhcp', 'reserved')),
  subnet cidr not null,
  first inet not null,
  last inet not null,
  constraint network_range_name_taken unique (network_id, name),
  constraint network_range_inside_subnet check (first <<= subnet and last <<= subnet),
  constraint network_range_not_reversed check (first <= last),
  constraint network_range_bare_addresses check (
    masklen(first) = case family(first) when 4 then 32 else 128 end
    and masklen(last) = case family(last) when 4 then 32 else 128 end),
  constraint network_range_no_overlap exclude using gist (address_range(first, last, '[]') with &&)
);
create index network_range_network on network_range (network_id);

create table router (
  network_id bigint not null references network on delete cascade,
  address inet not null,
  pref integer not null default 100,         -- the lowest on a host gives it its default route
  constraint router_one_per_network_and_family primary key (network_id, address),
  constraint router_bare_address check (masklen(address) = case family(address) when 4 then 32 else 128 end)
);
create unique index router_one_per_family on router (network_id, family(address));

-- A released address stays in the table until its quarantine is over, so nothing can take it.
create table allocation (
  id bigint generated always as identity primary key,
  range_id bigint not null references network_range on delete restrict,
  node_id bigint references node on delete cascade,
  address inet not null constraint allocation_address_taken unique,
  note text not null default '',             -- whom a reservation without a node is for
  created_at timestamptz not null default now(),
  released_at timestamptz,
  quarantine_until timestamptz,
  constraint allocation_bare_address check (masklen(address) = case family(address) when 4 then 32 else 128 end),
  constraint allocation_released_has_quarantine check ((released_at is null) = (quarantine_until is null))
);
create unique index allocation_one_per_node_and_range on allocation (node_id, range_id) where released_at is null and node_id is not null;
create index allocation_range on allocation (range_id, address);
create index allocation_quarantine on allocation (quarantine_until) where quarantine_until is not null;

create function allocation_inside_range() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from network_range r where r.id = new.range_id and new.address between r.first and r.last) then
    raise exception 'address % lies outside its range', host(new.address)
      using errcode = 'check_violation', constraint = 'allocation_inside_range';
  end if;
  return new;
end $$;
create trigger allocation_inside_range before insert or update of address, range_id on allocation
  for each row execute function allocation_inside_range();

-- How a node is wired to a network, as decided: which NICs, bonded and bridged how.
create table node_link (
  node_id bigint not null references node on delete cascade,
  network_id bigint not null references network on delete cascade,
  members text[] not null,                   -- MACs, in the conduit's order
  bond_mode text,
  bridge text check (bridge ~ '^[a-z][a-z0-9]{0,14}$'),
  vlan integer check (vlan between 1 and 4094),
  primary key (node_id, network_id)
);

-- Which names an address gets. All matching filters apply, lowest priority number first.
create table name_filter (
  id bigint generated always as identity primary key,
  name text not null constraint name_filter_name_taken unique,
  priority integer not null constraint name_filter_priority_taken unique,
  matcher jsonb not null default '{}',
  template text not null check (length(template) between 1 and 253)
);
insert into name_filter (name, priority, matcher, template) values
  ('node-name', 100, '{"network.category": "admin"}', '{{node.name}}');
