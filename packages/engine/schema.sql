table agent_task
  action text not null
  boot_id text
  bundle bytea
  created_at timestamp with time zone not null default now()
  exit_code integer
  lane text not null
  masks bytea
  next_log integer not null default 0
  node_id bigint not null
  reason text
  run_id bigint not null
  sha256 text
  status text not null default 'offered'::text
  timeout_seconds integer not null
  token bigint not null
  updated_at timestamp with time zone not null default now()
  constraint agent_task_action_check CHECK ((action = ANY (ARRAY['run'::text, 'cancel'::text, 'reboot'::text])))
  constraint agent_task_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint agent_task_pkey PRIMARY KEY (run_id, token, action)
  constraint agent_task_status_check CHECK ((status = ANY (ARRAY['offered'::text, 'started'::text, 'done'::text, 'void'::text])))
  CREATE INDEX agent_task_offered ON public.agent_task USING btree (node_id) WHERE (status = ANY (ARRAY['offered'::text, 'started'::text]))
  CREATE TRIGGER agent_task_offered AFTER INSERT ON public.agent_task REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION agent_task_offered()

table allocation
  address inet not null
  created_at timestamp with time zone not null default now()
  id bigint not null generated always as identity
  node_id bigint
  note text not null default ''::text
  quarantine_until timestamp with time zone
  range_id bigint not null
  released_at timestamp with time zone
  constraint allocation_address_taken UNIQUE (address)
  constraint allocation_bare_address CHECK ((masklen(address) =
CASE family(address)
    WHEN 4 THEN 32
    ELSE 128
END))
  constraint allocation_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint allocation_pkey PRIMARY KEY (id)
  constraint allocation_range_id_fkey FOREIGN KEY (range_id) REFERENCES network_range(id) ON DELETE RESTRICT
  constraint allocation_released_has_quarantine CHECK (((released_at IS NULL) = (quarantine_until IS NULL)))
  CREATE UNIQUE INDEX allocation_one_per_node_and_range ON public.allocation USING btree (node_id, range_id) WHERE ((released_at IS NULL) AND (node_id IS NOT NULL))
  CREATE INDEX allocation_quarantine ON public.allocation USING btree (quarantine_until) WHERE (quarantine_until IS NOT NULL)
  CREATE INDEX allocation_range ON public.allocation USING btree (range_id, address)
  CREATE TRIGGER allocation_boot_added AFTER INSERT ON public.allocation REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION allocation_boot_added()
  CREATE TRIGGER allocation_boot_changed AFTER UPDATE ON public.allocation REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION allocation_boot_changed()
  CREATE TRIGGER allocation_boot_removed AFTER DELETE ON public.allocation REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION allocation_boot_removed()
  CREATE TRIGGER allocation_inside_range BEFORE INSERT OR UPDATE OF address, range_id ON public.allocation FOR EACH ROW EXECUTE FUNCTION allocation_inside_range()
  CREATE TRIGGER allocation_said_added AFTER INSERT ON public.allocation REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION allocation_said_added()
  CREATE TRIGGER allocation_said_changed AFTER UPDATE ON public.allocation REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION allocation_said_changed()
  CREATE TRIGGER allocation_said_removed AFTER DELETE ON public.allocation REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION allocation_said_removed()

table app_user
  created_at timestamp with time zone not null default now()
  disabled boolean not null default false
  id bigint not null generated always as identity
  name text not null
  password_hash text
  role text not null
  constraint app_user_name_check CHECK ((name ~ '^[a-z][a-z0-9._@-]{0,127}$'::text))
  constraint app_user_pkey PRIMARY KEY (id)
  constraint app_user_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'admin'::text])))
  constraint user_name_taken UNIQUE (name)

table attrib
  barclamp_id bigint not null
  "default" jsonb
  description text not null default ''::text
  id bigint not null generated always as identity
  name text not null
  path text not null
  role_id bigint
  schema jsonb
  secret boolean not null default false
  volatile boolean not null default false
  constraint attrib_barclamp_id_fkey FOREIGN KEY (barclamp_id) REFERENCES barclamp(id)
  constraint attrib_name_taken UNIQUE (name)
  constraint attrib_pkey PRIMARY KEY (id)
  constraint attrib_role_id_fkey FOREIGN KEY (role_id) REFERENCES role(id) ON DELETE CASCADE

table attrib_link
  attrib text not null
  consumer_id bigint not null
  provider_id bigint not null
  constraint attrib_link_consumer_id_fkey FOREIGN KEY (consumer_id) REFERENCES noderole(id) ON DELETE CASCADE
  constraint attrib_link_pkey PRIMARY KEY (consumer_id, attrib)
  constraint attrib_link_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES noderole(id) ON DELETE CASCADE
  CREATE INDEX attrib_link_provider ON public.attrib_link USING btree (provider_id)

table audit
  action text not null
  actor text not null
  at timestamp with time zone not null default now()
  detail jsonb not null default '{}'::jsonb
  id bigint not null generated always as identity
  subject text not null
  constraint audit_pkey PRIMARY KEY (id)
  CREATE INDEX audit_action ON public.audit USING btree (action, id DESC)
  CREATE INDEX audit_actor ON public.audit USING btree (actor, id DESC)
  CREATE INDEX audit_at ON public.audit USING btree (at)

table barclamp
  content_hash text not null
  data jsonb not null default '{}'::jsonb
  description text not null default ''::text
  id bigint not null generated always as identity
  imported_at timestamp with time zone not null default now()
  name text not null
  revision bigint not null default 1
  source_path text not null
  version text not null
  constraint barclamp_name_taken UNIQUE (name)
  constraint barclamp_pkey PRIMARY KEY (id)

table binding
  added_revision integer not null
  data jsonb not null default '{}'::jsonb
  deployment_id bigint not null
  id bigint not null generated always as identity
  node_id bigint not null
  origin text not null default 'operator'::text
  reason text not null default ''::text
  removed_revision integer
  role_id bigint not null
  constraint binding_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployment(id) ON DELETE CASCADE
  constraint binding_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id)
  constraint binding_origin_check CHECK ((origin = ANY (ARRAY['operator'::text, 'required'::text])))
  constraint binding_pkey PRIMARY KEY (id)
  constraint binding_role_id_fkey FOREIGN KEY (role_id) REFERENCES role(id)
  CREATE INDEX binding_added ON public.binding USING btree (deployment_id, added_revision)
  CREATE INDEX binding_node ON public.binding USING btree (node_id) WHERE (removed_revision IS NULL)
  CREATE UNIQUE INDEX binding_one_open ON public.binding USING btree (deployment_id, role_id, node_id) WHERE (removed_revision IS NULL)
  CREATE INDEX binding_removed ON public.binding USING btree (deployment_id, removed_revision) WHERE (removed_revision IS NOT NULL)

table boot_ack
  at timestamp with time zone not null default now()
  error text
  evidence text not null default ''::text
  node_id bigint not null
  refused text
  server_id bigint not null
  version bigint not null
  constraint boot_ack_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint boot_ack_pkey PRIMARY KEY (server_id, node_id)
  constraint boot_ack_server_id_fkey FOREIGN KEY (server_id) REFERENCES boot_server(id) ON DELETE CASCADE
  CREATE TRIGGER boot_ack_given_again AFTER UPDATE ON public.boot_ack REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION boot_ack_given()
  CREATE TRIGGER boot_ack_given_new AFTER INSERT ON public.boot_ack REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION boot_ack_given()
  CREATE TRIGGER boot_ack_taken_back AFTER DELETE ON public.boot_ack REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION boot_ack_taken_back()

table boot_attempt
  events integer not null default 0
  firmware text not null default ''::text
  hello_at timestamp with time zone
  id bigint not null generated always as identity
  intent_id bigint
  mac text
  node_id bigint
  outcome text
  script_at timestamp with time zone
  started_at timestamp with time zone not null default now()
  system_uuid text
  told_at timestamp with time zone
  constraint boot_attempt_intent_id_fkey FOREIGN KEY (intent_id) REFERENCES boot_intent(id) ON DELETE SET NULL
  constraint boot_attempt_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint boot_attempt_outcome CHECK ((outcome = ANY (ARRAY['installed'::text, 'erased'::text, 'failed'::text, 'rescue'::text])))
  constraint boot_attempt_pkey PRIMARY KEY (id)
  CREATE INDEX boot_attempt_intent ON public.boot_attempt USING btree (intent_id) WHERE (intent_id IS NOT NULL)
  CREATE INDEX boot_attempt_mac ON public.boot_attempt USING btree (mac, id DESC)
  CREATE INDEX boot_attempt_node ON public.boot_attempt USING btree (node_id, id DESC)

table boot_behind
  node_id bigint not null
  server_id bigint not null
  version bigint not null
  constraint boot_behind_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint boot_behind_pkey PRIMARY KEY (server_id, node_id)
  constraint boot_behind_server_id_fkey FOREIGN KEY (server_id) REFERENCES boot_server(id) ON DELETE CASCADE
  CREATE INDEX boot_behind_version ON public.boot_behind USING btree (server_id, version)

table boot_env
  cmdline text not null default ''::text
  description text not null default ''::text
  initrds text[] not null default '{}'::text[]
  kernel text not null default ''::text
  kernel_efi text not null default ''::text
  kind text not null
  name text not null
  os_template text
  constraint boot_env_kind_check CHECK ((kind = ANY (ARRAY['local'::text, 'discovery'::text, 'install'::text, 'rescue'::text, 'memtest'::text])))
  constraint boot_env_name_check CHECK ((name ~ '^[a-z][a-z0-9.-]{0,62}$'::text))
  constraint boot_env_pkey PRIMARY KEY (name)

table boot_event
  at timestamp with time zone not null default now()
  attempt_id bigint not null
  detail jsonb not null default '{}'::jsonb
  id bigint not null generated always as identity
  kind text not null
  text text not null
  constraint boot_event_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES boot_attempt(id) ON DELETE CASCADE
  constraint boot_event_kind_check CHECK ((kind = ANY (ARRAY['power'::text, 'dhcp'::text, 'tftp'::text, 'script'::text, 'file'::text, 'console'::text, 'phase'::text, 'callback'::text, 'join'::text, 'hello'::text, 'refused'::text])))
  constraint boot_event_pkey PRIMARY KEY (id)
  CREATE INDEX boot_event_attempt ON public.boot_event USING btree (attempt_id, id)

table boot_file
  path text not null
  sha256 text not null
  size bigint not null
  updated_at timestamp with time zone not null default now()
  constraint boot_file_path_check CHECK ((path ~ '^[A-Za-z0-9][A-Za-z0-9._+-]*(/[A-Za-z0-9][A-Za-z0-9._+-]*)*$'::text))
  constraint boot_file_pkey PRIMARY KEY (path)
  constraint boot_file_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
  constraint boot_file_size_check CHECK ((size >= 0))

table boot_intent
  bootenv text not null
  created_at timestamp with time zone not null default now()
  expires_at timestamp with time zone not null
  id bigint not null generated always as identity
  mac text
  node_id bigint
  run_id bigint
  used_at timestamp with time zone
  void_at timestamp with time zone
  void_reason text
  constraint boot_intent_bootenv_fkey FOREIGN KEY (bootenv) REFERENCES boot_env(name)
  constraint boot_intent_for_somebody CHECK (((node_id IS NOT NULL) OR (mac IS NOT NULL)))
  constraint boot_intent_mac_check CHECK ((mac ~ '^([0-9a-f]{2}:){5}[0-9a-f]{2}$'::text))
  constraint boot_intent_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint boot_intent_pkey PRIMARY KEY (id)
  CREATE INDEX boot_intent_mac ON public.boot_intent USING btree (mac) WHERE ((node_id IS NULL) AND (used_at IS NULL) AND (void_at IS NULL))
  CREATE INDEX boot_intent_node ON public.boot_intent USING btree (node_id, id DESC)
  CREATE UNIQUE INDEX boot_intent_one_open_per_node ON public.boot_intent USING btree (node_id) WHERE ((used_at IS NULL) AND (void_at IS NULL) AND (node_id IS NOT NULL))
  CREATE INDEX boot_intent_strangers ON public.boot_intent USING btree (created_at) WHERE (node_id IS NULL)

table boot_server
  active boolean not null default true
  error text
  fed_at timestamp with time zone
  folder text not null default ''::text
  host text not null default ''::text
  id bigint not null generated always as identity
  incarnation text not null default ''::text
  kind text not null
  name text not null
  node_id bigint
  noderole_id bigint
  server_noderole_id bigint
  constraint boot_server_kind_check CHECK ((kind = ANY (ARRAY['dnsmasq'::text, 'kea'::text, 'bind'::text])))
  constraint boot_server_name_taken UNIQUE (name)
  constraint boot_server_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint boot_server_pkey PRIMARY KEY (id)
  CREATE TRIGGER boot_server_queued AFTER INSERT ON public.boot_server FOR EACH ROW EXECUTE FUNCTION boot_server_queued()

table boot_token
  expires_at timestamp with time zone not null
  hash bytea not null
  intent_id bigint not null
  purpose text not null
  used_at timestamp with time zone
  constraint boot_token_intent_id_fkey FOREIGN KEY (intent_id) REFERENCES boot_intent(id) ON DELETE CASCADE
  constraint boot_token_pkey PRIMARY KEY (hash)
  constraint boot_token_purpose_check CHECK ((purpose = ANY (ARRAY['seed'::text, 'installer'::text, 'os'::text, 'rescue'::text])))
  CREATE INDEX boot_token_intent ON public.boot_token USING btree (intent_id)

table consent
  disks text[] not null default '{}'::text[]
  granted_at timestamp with time zone not null default now()
  granted_by text not null
  id bigint not null generated always as identity
  input_hash text not null
  noderole_id bigint not null
  plan_hash text
  used_at timestamp with time zone
  used_by_run bigint
  constraint consent_noderole_id_fkey FOREIGN KEY (noderole_id) REFERENCES noderole(id) ON DELETE CASCADE
  constraint consent_pkey PRIMARY KEY (id)
  CREATE UNIQUE INDEX consent_one_unused_per_input ON public.consent USING btree (noderole_id, input_hash) WHERE (used_by_run IS NULL)
  CREATE INDEX consent_used ON public.consent USING btree (used_by_run) WHERE (used_by_run IS NOT NULL)

table deployment
  created_at timestamp with time zone not null default now()
  description text not null default ''::text
  id bigint not null generated always as identity
  name text not null
  parent_id bigint
  paused boolean not null default false
  revision bigint not null default 1
  system boolean not null default false
  updated_at timestamp with time zone not null default now()
  constraint deployment_name_check CHECK ((name ~ '^[a-z][a-z0-9._-]{0,254}$'::text))
  constraint deployment_name_taken UNIQUE (name)
  constraint deployment_only_system_has_no_parent CHECK (((parent_id IS NULL) = system))
  constraint deployment_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES deployment(id)
  constraint deployment_pkey PRIMARY KEY (id)
  CREATE UNIQUE INDEX deployment_one_system ON public.deployment USING btree (system) WHERE system
  CREATE INDEX deployment_parent ON public.deployment USING btree (parent_id)
  CREATE INDEX deployment_paused ON public.deployment USING btree (id) WHERE paused

table deployment_data
  added_revision integer not null
  data jsonb not null default '{}'::jsonb
  deployment_id bigint not null
  id bigint not null generated always as identity
  removed_revision integer
  constraint deployment_data_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployment(id) ON DELETE CASCADE
  constraint deployment_data_pkey PRIMARY KEY (id)
  CREATE UNIQUE INDEX deployment_data_one_open ON public.deployment_data USING btree (deployment_id) WHERE (removed_revision IS NULL)

table deployment_role
  added_revision integer not null
  data jsonb not null default '{}'::jsonb
  deployment_id bigint not null
  id bigint not null generated always as identity
  removed_revision integer
  role_id bigint not null
  constraint deployment_role_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployment(id) ON DELETE CASCADE
  constraint deployment_role_pkey PRIMARY KEY (id)
  constraint deployment_role_role_id_fkey FOREIGN KEY (role_id) REFERENCES role(id)
  CREATE UNIQUE INDEX deployment_role_one_open ON public.deployment_role USING btree (deployment_id, role_id) WHERE (removed_revision IS NULL)

table edge
  child_id bigint not null
  parent_id bigint not null
  soft boolean not null default false
  constraint edge_child_id_fkey FOREIGN KEY (child_id) REFERENCES noderole(id) ON DELETE CASCADE
  constraint edge_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES noderole(id) ON DELETE CASCADE
  constraint edge_pkey PRIMARY KEY (parent_id, child_id)
  CREATE INDEX edge_child ON public.edge USING btree (child_id)
  CREATE INDEX edge_soft ON public.edge USING btree (child_id) WHERE soft

table event
  at timestamp with time zone not null default now()
  batch_id bigint not null
  cause text
  child_id bigint
  child_role_id bigint
  deployment_id bigint
  id bigint not null generated always as identity
  kind text not null
  lane text
  node_id bigint
  noderole_id bigint
  payload jsonb not null default '{}'::jsonb
  revision bigint
  role_id bigint
  run_id bigint
  token bigint
  worker_id bigint
  constraint event_pkey PRIMARY KEY (id)
  CREATE INDEX event_at ON public.event USING brin (at)
  CREATE INDEX event_batch_of ON public.event USING btree (batch_id, id)
  CREATE INDEX event_deployment ON public.event USING btree (deployment_id, id DESC) WHERE ((deployment_id IS NOT NULL) AND (noderole_id IS NULL))
  CREATE INDEX event_node ON public.event USING btree (node_id, id DESC) WHERE (node_id IS NOT NULL)

table event_batch
  id bigint not null generated always as identity
  "position" bigint
  constraint event_batch_pkey PRIMARY KEY (id)
  constraint event_batch_position_taken UNIQUE ("position")
  CREATE INDEX event_batch_unplaced ON public.event_batch USING btree (id) WHERE ("position" IS NULL)

table event_reader
  event_id bigint not null default 0
  name text not null
  "position" bigint not null default 0
  updated_at timestamp with time zone not null default now()
  constraint event_reader_pkey PRIMARY KEY (name)

table evidence
  at timestamp with time zone not null default now()
  id bigint not null generated always as identity
  key text not null
  payload jsonb not null default '{}'::jsonb
  run_id bigint not null
  taken_at timestamp with time zone
  constraint evidence_pkey PRIMARY KEY (id)
  CREATE INDEX evidence_untaken ON public.evidence USING btree (run_id, key) WHERE (taken_at IS NULL)

table frozen_attribs
  attribs jsonb not null
  created_at timestamp with time zone not null default now()
  hash text not null
  constraint frozen_attribs_pkey PRIMARY KEY (hash)

table hammer
  config jsonb not null default '{}'::jsonb
  endpoint text not null default ''::text
  id bigint not null generated always as identity
  kind text not null
  node_id bigint not null
  priority integer not null default 0
  revision bigint not null default 1
  secret text
  username text not null default ''::text
  constraint hammer_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint hammer_one_of_a_kind_per_node UNIQUE (node_id, kind)
  constraint hammer_pkey PRIMARY KEY (id)

table hook_delivery
  attempts integer not null default 0
  dead_at timestamp with time zone
  error text not null default ''::text
  event_id bigint not null
  first_at timestamp with time zone not null default now()
  handler text not null
  last_at timestamp with time zone not null default now()
  constraint hook_delivery_pkey PRIMARY KEY (handler, event_id)
  CREATE INDEX hook_delivery_dead ON public.hook_delivery USING btree (dead_at) WHERE (dead_at IS NOT NULL)

table idempotency_key
  actor text not null
  answer text
  created_at timestamp with time zone not null default now()
  key text not null
  request_hash bytea not null
  status integer
  constraint idempotency_key_pkey PRIMARY KEY (actor, key)
  CREATE INDEX idempotency_key_age ON public.idempotency_key USING btree (created_at)

table jig
  active boolean not null default true
  config jsonb not null default '{}'::jsonb
  description text not null default ''::text
  name text not null
  revision bigint not null default 1
  constraint jig_pkey PRIMARY KEY (name)

table jig_backfill
  done_at timestamp with time zone
  jig text not null
  last_node_id bigint not null
  next_node_id bigint not null default 0
  started_at timestamp with time zone not null default now()
  constraint jig_backfill_jig_fkey FOREIGN KEY (jig) REFERENCES jig(name) ON DELETE CASCADE
  constraint jig_backfill_pkey PRIMARY KEY (jig)

table name_filter
  id bigint not null generated always as identity
  matcher jsonb not null default '{}'::jsonb
  name text not null
  priority integer not null
  template text not null
  constraint name_filter_name_taken UNIQUE (name)
  constraint name_filter_pkey PRIMARY KEY (id)
  constraint name_filter_priority_taken UNIQUE (priority)
  constraint name_filter_template_check CHECK (((length(template) >= 1) AND (length(template) <= 253)))
  CREATE TRIGGER name_filter_boot_changed AFTER INSERT OR DELETE OR UPDATE ON public.name_filter FOR EACH STATEMENT EXECUTE FUNCTION name_filter_boot_changed()

table network
  bond_mode text
  bridge boolean not null default false
  category text not null default 'general'::text
  conduit text not null default ''::text
  configure boolean not null default true
  created_at timestamp with time zone not null default now()
  description text not null default ''::text
  domain text not null default ''::text
  id bigint not null generated always as identity
  mtu integer
  name text not null
  network_group text not null default ''::text
  quarantine_seconds integer not null default 86400
  revision bigint not null default 1
  vlan integer
  constraint network_bond_mode_check CHECK ((bond_mode = ANY (ARRAY['balance-rr'::text, 'active-backup'::text, 'balance-xor'::text, 'broadcast'::text, '802.3ad'::text, 'balance-tlb'::text, 'balance-alb'::text])))
  constraint network_category_check CHECK ((category = ANY (ARRAY['admin'::text, 'bmc'::text, 'general'::text, 'unmanaged'::text])))
  constraint network_conduit_check CHECK ((conduit ~ '^[a-z0-9+?,-]{0,120}$'::text))
  constraint network_domain_check CHECK ((domain ~ '^([a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?)*)?$'::text))
  constraint network_mtu_check CHECK (((mtu >= 576) AND (mtu <= 65535)))
  constraint network_name_check CHECK ((name ~ '^[a-z][a-z0-9-]{0,62}$'::text))
  constraint network_name_taken UNIQUE (name)
  constraint network_pkey PRIMARY KEY (id)
  constraint network_quarantine_seconds_check CHECK (((quarantine_seconds >= 0) AND (quarantine_seconds <= 31536000)))
  constraint network_vlan_check CHECK (((vlan >= 1) AND (vlan <= 4094)))
  CREATE TRIGGER network_boot_changed AFTER UPDATE ON public.network REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION network_boot_changed()
  CREATE TRIGGER network_said_added AFTER INSERT ON public.network REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION network_said()
  CREATE TRIGGER network_said_changed AFTER UPDATE ON public.network REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION network_said()
  CREATE TRIGGER network_said_removed AFTER DELETE ON public.network REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION network_said()

table network_range
  first inet not null
  id bigint not null generated always as identity
  kind text not null default 'host'::text
  last inet not null
  name text not null
  network_id bigint not null
  subnet cidr not null
  constraint network_range_bare_addresses CHECK (((masklen(first) =
CASE family(first)
    WHEN 4 THEN 32
    ELSE 128
END) AND (masklen(last) =
CASE family(last)
    WHEN 4 THEN 32
    ELSE 128
END)))
  constraint network_range_inside_subnet CHECK (((first <<= (subnet)::inet) AND (last <<= (subnet)::inet)))
  constraint network_range_kind_check CHECK ((kind = ANY (ARRAY['host'::text, 'dhcp'::text, 'reserved'::text])))
  constraint network_range_name_check CHECK ((name ~ '^[a-z][a-z0-9-]{0,62}$'::text))
  constraint network_range_name_taken UNIQUE (network_id, name)
  constraint network_range_network_id_fkey FOREIGN KEY (network_id) REFERENCES network(id) ON DELETE CASCADE
  constraint network_range_no_overlap EXCLUDE USING gist (address_range(first, last, '[]'::text) WITH &&)
  constraint network_range_not_reversed CHECK ((first <= last))
  constraint network_range_pkey PRIMARY KEY (id)
  CREATE INDEX network_range_network ON public.network_range USING btree (network_id)
  CREATE TRIGGER network_range_boot_changed AFTER UPDATE ON public.network_range REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION network_range_boot_changed()
  CREATE TRIGGER network_range_said_added AFTER INSERT ON public.network_range REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION network_part_added()
  CREATE TRIGGER network_range_said_changed AFTER UPDATE ON public.network_range REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION network_part_added()
  CREATE TRIGGER network_range_said_removed AFTER DELETE ON public.network_range REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION network_part_removed()

table node
  admin boolean not null default false
  alive boolean not null default false
  alive_changed_at timestamp with time zone not null default now()
  alive_hold text
  alive_reason text not null default 'never seen'::text
  available boolean not null default true
  boot_epoch bigint not null default 0
  boot_id text
  bootenv text not null default 'local'::text
  created_at timestamp with time zone not null default now()
  deleted_at timestamp with time zone
  deployment_id bigint not null
  description text not null default ''::text
  discovered_at timestamp with time zone
  discovery jsonb not null default '{}'::jsonb
  hint jsonb not null default '{}'::jsonb
  id bigint not null generated always as identity
  labels jsonb not null default '{}'::jsonb
  macs text[] not null default '{}'::text[]
  name text not null
  plan_revision bigint not null default 1
  revision bigint not null default 1
  serial text
  system_uuid text
  updated_at timestamp with time zone not null default now()
  constraint node_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployment(id)
  constraint node_name_check CHECK (((name ~ '^[a-z0-9]([a-z0-9.-]{0,253}[a-z0-9])?$'::text) AND (name !~ '^[0-9]+$'::text)))
  constraint node_pkey PRIMARY KEY (id)
  CREATE INDEX node_alive_changed ON public.node USING btree (alive_changed_at, id) WHERE (deleted_at IS NULL)
  CREATE INDEX node_bootenv ON public.node USING btree (bootenv, name) WHERE (deleted_at IS NULL)
  CREATE INDEX node_created ON public.node USING btree (created_at, id) WHERE (deleted_at IS NULL)
  CREATE INDEX node_deployment ON public.node USING btree (deployment_id)
  CREATE INDEX node_label_keys ON public.node USING gin (labels)
  CREATE INDEX node_labels ON public.node USING gin (labels jsonb_path_ops)
  CREATE INDEX node_macs ON public.node USING gin (macs)
  CREATE UNIQUE INDEX node_name_taken ON public.node USING btree (name) WHERE (deleted_at IS NULL)
  CREATE UNIQUE INDEX node_one_machine_per_uuid ON public.node USING btree (system_uuid) WHERE ((system_uuid IS NOT NULL) AND (deleted_at IS NULL))
  CREATE INDEX node_serial ON public.node USING btree (serial) WHERE (serial IS NOT NULL)
  CREATE INDEX node_updated ON public.node USING btree (updated_at, id) WHERE (deleted_at IS NULL)
  CREATE INDEX node_uuid ON public.node USING btree (system_uuid) WHERE (system_uuid IS NOT NULL)
  CREATE TRIGGER node_added AFTER INSERT ON public.node REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION node_added()
  CREATE TRIGGER node_boot_added AFTER INSERT ON public.node REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION node_boot_added()
  CREATE TRIGGER node_boot_changed AFTER UPDATE ON public.node REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION node_boot_changed()
  CREATE TRIGGER node_changed AFTER UPDATE ON public.node REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION node_changed()
  CREATE TRIGGER node_discovered AFTER INSERT ON public.node REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION node_discovered()
  CREATE TRIGGER node_said_hello AFTER UPDATE ON public.node REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION node_said_hello()
  CREATE TRIGGER node_taken_back AFTER UPDATE OF deleted_at ON public.node FOR EACH ROW WHEN (((old.deleted_at IS NOT NULL) AND (new.deleted_at IS NULL))) EXECUTE FUNCTION node_taken_back()

table node_boot
  node_id bigint not null
  version bigint not null
  constraint node_boot_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint node_boot_pkey PRIMARY KEY (node_id)
  CREATE INDEX node_boot_version ON public.node_boot USING btree (version)
  CREATE TRIGGER node_boot_queued_again AFTER UPDATE ON public.node_boot REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION node_boot_queued()
  CREATE TRIGGER node_boot_queued_new AFTER INSERT ON public.node_boot REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION node_boot_queued()

table node_epoch
  at timestamp with time zone not null default now()
  boot_id text not null
  epoch bigint not null
  node_id bigint not null
  constraint node_epoch_boot_seen_once UNIQUE (node_id, boot_id)
  constraint node_epoch_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint node_epoch_pkey PRIMARY KEY (node_id, epoch)

table node_group
  category text not null default 'tag'::text
  description text not null default ''::text
  id bigint not null generated always as identity
  name text not null
  revision bigint not null default 1
  constraint node_group_name_taken UNIQUE (name)
  constraint node_group_pkey PRIMARY KEY (id)

table node_group_member
  group_id bigint not null
  node_id bigint not null
  constraint node_group_member_group_id_fkey FOREIGN KEY (group_id) REFERENCES node_group(id) ON DELETE CASCADE
  constraint node_group_member_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint node_group_member_pkey PRIMARY KEY (group_id, node_id)
  CREATE INDEX node_group_member_node ON public.node_group_member USING btree (node_id)

table node_lane
  busy boolean not null default false
  lane text not null
  next_noderole bigint
  node_id bigint not null
  open boolean not null default false
  priority integer not null default 0
  queued integer not null default 0
  ready integer not null default 0
  ready_since timestamp with time zone not null default now()
  constraint node_lane_lane_check CHECK ((lane = ANY (ARRAY['host'::text, 'service'::text])))
  constraint node_lane_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint node_lane_pkey PRIMARY KEY (node_id, lane)
  CREATE INDEX node_lane_claimable ON public.node_lane USING btree (priority DESC, ready_since) WHERE (open AND (ready > 0) AND (NOT busy))

table node_link
  bond_mode text
  bridge text
  conduit text not null default ''::text
  members text[] not null
  network_id bigint not null
  node_id bigint not null
  vlan integer
  constraint node_link_bridge_check CHECK ((bridge ~ '^[a-z][a-z0-9]{0,14}$'::text))
  constraint node_link_network_id_fkey FOREIGN KEY (network_id) REFERENCES network(id) ON DELETE CASCADE
  constraint node_link_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint node_link_pkey PRIMARY KEY (node_id, network_id)
  constraint node_link_vlan_check CHECK (((vlan >= 1) AND (vlan <= 4094)))

table node_presence
  last_seen_at timestamp with time zone not null
  missed integer not null default 0
  node_id bigint not null
  constraint node_presence_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint node_presence_pkey PRIMARY KEY (node_id)
  CREATE INDEX node_presence_seen ON public.node_presence USING btree (last_seen_at)

table node_release
  asked_at timestamp with time zone not null default now()
  asked_by text not null
  bytes bigint[] not null
  deadline_at timestamp with time zone not null
  failed text
  how text not null
  node_id bigint not null
  serials text[] not null
  waits_for text not null default ''::text
  constraint node_release_disk_with_size CHECK (((cardinality(serials) > 0) AND (cardinality(serials) = cardinality(bytes))))
  constraint node_release_how_check CHECK ((how = ANY (ARRAY['quick'::text, 'full'::text])))
  constraint node_release_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint node_release_pkey PRIMARY KEY (node_id)

table node_token
  hash bytea not null
  next_hash bytea
  node_id bigint not null
  rotated_at timestamp with time zone not null default now()
  constraint node_token_hash_key UNIQUE (hash)
  constraint node_token_next_hash_key UNIQUE (next_hash)
  constraint node_token_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint node_token_pkey PRIMARY KEY (node_id)
  CREATE TRIGGER node_token_changed AFTER DELETE OR UPDATE ON public.node_token FOR EACH ROW EXECUTE FUNCTION node_token_changed()

table noderole
  blocked_by bigint
  cause text not null default ''::text
  cause_count integer not null default 0
  cohort integer not null default 0
  created_at timestamp with time zone not null default now()
  data jsonb not null default '{}'::jsonb
  degraded_by bigint
  deployment_id bigint not null
  drift_reason text
  drifted boolean not null default false
  failures integer not null default 0
  holds text[] not null default '{}'::text[]
  id bigint not null generated always as identity
  input_hash text
  lane text not null
  node_id bigint not null
  not_before timestamp with time zone
  output_hash text
  pending integer not null default 0
  priority integer not null default 0
  reason text not null default ''::text
  removing boolean not null default false
  revision bigint not null default 1
  role_id bigint not null
  run_count integer not null default 0
  run_id bigint
  snapshot_id bigint
  stale boolean not null default false
  state text not null
  state_since timestamp with time zone not null default now()
  wall jsonb not null default '{}'::jsonb
  constraint noderole_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployment(id)
  constraint noderole_lane_check CHECK ((lane = ANY (ARRAY['host'::text, 'service'::text])))
  constraint noderole_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id)
  constraint noderole_pending_check CHECK ((pending >= 0))
  constraint noderole_pkey PRIMARY KEY (id)
  constraint noderole_role_bound_once_per_node UNIQUE (node_id, role_id)
  constraint noderole_role_id_fkey FOREIGN KEY (role_id) REFERENCES role(id)
  constraint noderole_state_check CHECK ((state = ANY (ARRAY['proposed'::text, 'blocked'::text, 'todo'::text, 'transition'::text, 'active'::text, 'error'::text])))
  constraint noderole_transition_has_a_run CHECK (((state <> 'transition'::text) OR (run_id IS NOT NULL)))
  CREATE INDEX noderole_backoff ON public.noderole USING btree (not_before) WHERE (not_before IS NOT NULL)
  CREATE INDEX noderole_blocked_by ON public.noderole USING btree (blocked_by) WHERE (blocked_by IS NOT NULL)
  CREATE INDEX noderole_degraded ON public.noderole USING btree (node_id) WHERE (degraded_by IS NOT NULL)
  CREATE INDEX noderole_degraded_by ON public.noderole USING btree (degraded_by) WHERE (degraded_by IS NOT NULL)
  CREATE INDEX noderole_deployment ON public.noderole USING btree (deployment_id)
  CREATE INDEX noderole_drifted ON public.noderole USING btree (node_id) WHERE drifted
  CREATE INDEX noderole_held ON public.noderole USING btree (id) WHERE (holds <> '{}'::text[])
  CREATE INDEX noderole_removing ON public.noderole USING btree (id) WHERE removing
  CREATE INDEX noderole_role ON public.noderole USING btree (role_id)
  CREATE INDEX noderole_snapshot ON public.noderole USING btree (snapshot_id) WHERE (snapshot_id IS NOT NULL)
  CREATE INDEX noderole_stale ON public.noderole USING btree (id) WHERE stale
  CREATE TRIGGER noderole_added AFTER INSERT ON public.noderole REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION noderole_added()
  CREATE TRIGGER noderole_batch_illegal AFTER UPDATE ON public.noderole FOR EACH ROW WHEN (((old.state <> new.state) AND (NOT (((old.state = 'todo'::text) AND (new.state = 'transition'::text) AND (old.run_id IS NULL)) OR ((old.state = 'transition'::text) AND (new.state = 'active'::text) AND (new.run_id IS NULL)) OR ((old.state = 'blocked'::text) AND (new.state = 'todo'::text) AND (new.pending = 0)))) AND told_by_batch())) EXECUTE FUNCTION noderole_batch_illegal()
  CREATE TRIGGER noderole_changed AFTER UPDATE ON public.noderole REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION noderole_changed()
  CREATE TRIGGER noderole_names_added AFTER INSERT ON public.noderole REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION noderole_names_changed()
  CREATE TRIGGER noderole_names_removed AFTER DELETE ON public.noderole REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION noderole_names_changed()
  CREATE TRIGGER noderole_removed AFTER DELETE ON public.noderole REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION noderole_removed()

table noderole_transition
  from_state text not null
  to_state text not null
  constraint noderole_transition_pkey PRIMARY KEY (from_state, to_state)

table os_install
  boot_epoch bigint not null
  boots integer not null default 0
  created_at timestamp with time zone not null default now()
  error text
  failed_in text
  id bigint not null generated always as identity
  node_id bigint not null
  noderole_id bigint not null
  phase text not null
  phase_deadline timestamp with time zone not null
  phase_since timestamp with time zone not null default now()
  plan jsonb not null
  run_id bigint not null
  waits_for text not null default ''::text
  wipe_granted_at timestamp with time zone
  constraint os_install_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
  constraint os_install_one_per_run UNIQUE (run_id)
  constraint os_install_phase_check CHECK ((phase = ANY (ARRAY['acks'::text, 'power'::text, 'boot'::text, 'installing'::text, 'restart'::text, 'done'::text, 'failed'::text])))
  constraint os_install_pkey PRIMARY KEY (id)
  CREATE INDEX os_install_node ON public.os_install USING btree (node_id, id DESC)
  CREATE UNIQUE INDEX os_install_one_live_per_node ON public.os_install USING btree (node_id) WHERE (phase <> ALL (ARRAY['done'::text, 'failed'::text]))

table os_template
  content_hash text not null
  data jsonb not null default '{}'::jsonb
  family text not null
  folder text not null
  imported_at timestamp with time zone not null default now()
  kind text not null
  name text not null
  title text not null
  version text not null
  constraint os_template_kind_check CHECK ((kind = ANY (ARRAY['preseed'::text, 'autoinstall'::text, 'kickstart'::text, 'image'::text])))
  constraint os_template_name_check CHECK ((name ~ '^[a-z][a-z0-9.-]{0,62}$'::text))
  constraint os_template_pkey PRIMARY KEY (name)

table plan
  created_at timestamp with time zone not null default now()
  hash text not null
  read_set jsonb not null
  snapshot_id bigint not null
  constraint plan_pkey PRIMARY KEY (snapshot_id, hash)
  constraint plan_snapshot_id_fkey FOREIGN KEY (snapshot_id) REFERENCES snapshot(id) ON DELETE CASCADE

table removed_noderole
  id bigint not null
  node_id bigint not null
  constraint removed_noderole_pkey PRIMARY KEY (id)

table role
  abstract boolean not null default false
  barclamp_id bigint not null
  bootstrap boolean not null default false
  cluster boolean not null default false
  config jsonb not null default '{}'::jsonb
  conflicts text[] not null default '{}'::text[]
  data jsonb not null default '{}'::jsonb
  deadline_seconds integer not null default 3600
  description text not null default ''::text
  destructive boolean not null default false
  discovery boolean not null default false
  fingerprint text not null default ''::text
  id bigint not null generated always as identity
  implicit boolean not null default false
  jig text not null
  lane text not null default 'host'::text
  library boolean not null default false
  milestone boolean not null default false
  name text not null
  powersave boolean not null default false
  priority integer not null default 0
  provides text[] not null default '{}'::text[]
  reboots boolean not null default false
  removed_at timestamp with time zone
  retry_backoff_seconds integer not null default 10
  retry_limit integer not null default 0
  revision bigint not null default 1
  service boolean not null default false
  teardown boolean not null default false
  constraint role_barclamp_id_fkey FOREIGN KEY (barclamp_id) REFERENCES barclamp(id)
  constraint role_deadline_seconds_check CHECK (((deadline_seconds >= 1) AND (deadline_seconds <= 604800)))
  constraint role_jig_fkey FOREIGN KEY (jig) REFERENCES jig(name)
  constraint role_lane_check CHECK ((lane = ANY (ARRAY['host'::text, 'service'::text])))
  constraint role_name_taken UNIQUE (name)
  constraint role_pkey PRIMARY KEY (id)
  constraint role_retry_backoff_seconds_check CHECK (((retry_backoff_seconds >= 0) AND (retry_backoff_seconds <= 86400)))
  constraint role_retry_limit_check CHECK (((retry_limit >= 0) AND (retry_limit <= 100)))
  CREATE INDEX role_barclamp ON public.role USING btree (barclamp_id)

table role_require
  kind text not null
  requires text not null
  role_id bigint not null
  constraint role_require_kind_check CHECK ((kind = ANY (ARRAY['hard'::text, 'soft'::text])))
  constraint role_require_pkey PRIMARY KEY (role_id, requires)
  constraint role_require_role_id_fkey FOREIGN KEY (role_id) REFERENCES role(id) ON DELETE CASCADE

table role_want
  attrib text not null
  role_id bigint not null
  constraint role_want_pkey PRIMARY KEY (role_id, attrib)
  constraint role_want_role_id_fkey FOREIGN KEY (role_id) REFERENCES role(id) ON DELETE CASCADE

table router
  address inet not null
  network_id bigint not null
  pref integer not null default 100
  constraint router_bare_address CHECK ((masklen(address) =
CASE family(address)
    WHEN 4 THEN 32
    ELSE 128
END))
  constraint router_network_id_fkey FOREIGN KEY (network_id) REFERENCES network(id) ON DELETE CASCADE
  constraint router_one_per_network_and_family PRIMARY KEY (network_id, address)
  CREATE UNIQUE INDEX router_one_per_family ON public.router USING btree (network_id, family(address))
  CREATE TRIGGER router_said_added AFTER INSERT ON public.router REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION network_part_added()
  CREATE TRIGGER router_said_changed AFTER UPDATE ON public.router REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION network_part_added()
  CREATE TRIGGER router_said_removed AFTER DELETE ON public.router REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION network_part_removed()

table run
  attempt integer not null default 1
  attribs_hash text
  blame text
  boot_epoch bigint not null default 0
  cause text not null default ''::text
  created_at timestamp with time zone not null default now()
  deadline_at timestamp with time zone
  deployment_id bigint not null
  ended_at timestamp with time zone
  error text
  expects_reboot boolean not null default false
  id bigint not null generated always as identity
  input_hash text
  jig text not null
  kind text not null default 'run'::text
  lane text not null
  log_lines integer not null default 0
  memo jsonb
  node_id bigint not null
  noderole_id bigint not null
  retryable boolean
  role_id bigint not null
  started_at timestamp with time zone
  status text not null
  token bigint not null default nextval('fencing_token'::regclass)
  waiting_for text
  worker_id bigint
  constraint run_blame_check CHECK ((blame = ANY (ARRAY['node'::text, 'content'::text, 'us'::text, 'operator'::text])))
  constraint run_kind_check CHECK ((kind = ANY (ARRAY['run'::text, 'refresh'::text, 'teardown'::text])))
  constraint run_live_has_owner_or_evidence CHECK ((((status = 'running'::text) AND (worker_id IS NOT NULL) AND (deadline_at IS NOT NULL)) OR ((status = 'cancelling'::text) AND ((worker_id IS NOT NULL) OR (waiting_for IS NOT NULL)) AND (deadline_at IS NOT NULL)) OR ((status = 'waiting'::text) AND (waiting_for IS NOT NULL) AND (deadline_at IS NOT NULL)) OR (status <> ALL (ARRAY['running'::text, 'cancelling'::text, 'waiting'::text]))))
  constraint run_pkey PRIMARY KEY (id)
  constraint run_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'waiting'::text, 'cancelling'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'fenced'::text])))
  CREATE INDEX run_ended ON public.run USING btree (ended_at) WHERE (log_lines > 0)
  CREATE INDEX run_ended_when ON public.run USING brin (ended_at) WITH (autosummarize='on')
  CREATE INDEX run_failed ON public.run USING btree (id DESC) WHERE (status = 'failed'::text)
  CREATE INDEX run_failed_when ON public.run USING btree (ended_at) WHERE (status = 'failed'::text)
  CREATE INDEX run_given_up ON public.run USING btree (status, id DESC) WHERE (status = ANY (ARRAY['cancelled'::text, 'fenced'::text]))
  CREATE INDEX run_node ON public.run USING btree (node_id, id DESC) INCLUDE (noderole_id)
  CREATE UNIQUE INDEX run_one_queued_per_noderole ON public.run USING btree (noderole_id) WHERE (status = 'queued'::text)
  CREATE UNIQUE INDEX run_one_unfenced_per_node_and_lane ON public.run USING btree (node_id, lane) WHERE (status = ANY (ARRAY['running'::text, 'waiting'::text, 'cancelling'::text]))
  CREATE INDEX run_queued ON public.run USING btree (node_id, lane, id) WHERE (status = 'queued'::text)
  CREATE INDEX run_queued_deadline ON public.run USING btree (deadline_at) WHERE ((status = 'queued'::text) AND (deadline_at IS NOT NULL))
  CREATE TRIGGER run_added AFTER INSERT ON public.run FOR EACH ROW WHEN ((NOT told_by_batch())) EXECUTE FUNCTION run_added()
  CREATE TRIGGER run_changed AFTER UPDATE ON public.run FOR EACH ROW WHEN ((((old.status <> new.status) OR (old.token <> new.token)) AND (NOT told_by_batch()))) EXECUTE FUNCTION run_changed()

table run_log
  at timestamp with time zone not null default now()
  run_id bigint not null
  seq integer not null
  stream text not null
  text text not null
  constraint run_log_pkey PRIMARY KEY (run_id, seq)
  constraint run_log_stream_check CHECK ((stream = ANY (ARRAY['out'::text, 'err'::text, 'jig'::text])))

table schema_migration
  applied_at timestamp with time zone not null default now()
  name text not null
  number integer not null
  constraint schema_migration_pkey PRIMARY KEY (number)

table secret
  created_at timestamp with time zone not null default now()
  id bigint not null generated always as identity
  name text not null
  sealed bytea not null
  updated_at timestamp with time zone not null default now()
  constraint secret_name_taken UNIQUE (name)
  constraint secret_pkey PRIMARY KEY (id)

table session
  created_at timestamp with time zone not null default now()
  csrf text not null
  expires_at timestamp with time zone not null
  id_hash bytea not null
  user_id bigint not null
  constraint session_pkey PRIMARY KEY (id_hash)
  constraint session_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
  CREATE INDEX session_expiry ON public.session USING btree (expires_at)
  CREATE INDEX session_of_user ON public.session USING btree (user_id)

table setting
  key text not null
  updated_at timestamp with time zone not null default now()
  value jsonb not null
  constraint setting_pkey PRIMARY KEY (key)

table snapshot
  based_on integer
  canary integer
  canary_passed_at timestamp with time zone
  committed_at timestamp with time zone
  committed_by text
  created_at timestamp with time zone not null default now()
  created_by text not null
  deployment_id bigint not null
  edits bigint not null default 0
  finished_at timestamp with time zone
  halted_at timestamp with time zone
  halted_reason text
  id bigint not null generated always as identity
  message text not null default ''::text
  plan_hash text
  revision integer not null
  rolling_limit integer
  state text not null
  stop_after_failures integer
  constraint snapshot_canary_check CHECK ((canary > 0))
  constraint snapshot_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployment(id) ON DELETE CASCADE
  constraint snapshot_deployment_id_revision_key UNIQUE (deployment_id, revision)
  constraint snapshot_pkey PRIMARY KEY (id)
  constraint snapshot_revision_check CHECK ((revision >= 1))
  constraint snapshot_rolling_limit_check CHECK ((rolling_limit > 0))
  constraint snapshot_state_check CHECK ((state = ANY (ARRAY['proposed'::text, 'committed'::text, 'superseded'::text, 'recalled'::text])))
  constraint snapshot_stop_after_failures_check CHECK ((stop_after_failures > 0))
  CREATE UNIQUE INDEX snapshot_one_committed_per_deployment ON public.snapshot USING btree (deployment_id) WHERE (state = 'committed'::text)
  CREATE UNIQUE INDEX snapshot_one_proposed_per_deployment ON public.snapshot USING btree (deployment_id) WHERE (state = 'proposed'::text)
  CREATE INDEX snapshot_unfinished ON public.snapshot USING btree (id) WHERE ((state = 'committed'::text) AND (finished_at IS NULL))

table token
  boot_intent_id bigint
  created_at timestamp with time zone not null default now()
  expires_at timestamp with time zone
  hash bytea not null
  id bigint not null generated always as identity
  kind text not null
  last_used_at timestamp with time zone
  name text not null default ''::text
  revoked_at timestamp with time zone
  role text
  user_id bigint
  uses_left integer
  constraint token_boot_intent_id_fkey FOREIGN KEY (boot_intent_id) REFERENCES boot_intent(id) ON DELETE CASCADE
  constraint token_hash_key UNIQUE (hash)
  constraint token_kind_check CHECK ((kind = ANY (ARRAY['api'::text, 'signin'::text, 'join'::text])))
  constraint token_pkey PRIMARY KEY (id)
  constraint token_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'admin'::text])))
  constraint token_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
  CREATE INDEX token_boot_intent ON public.token USING btree (boot_intent_id) WHERE (boot_intent_id IS NOT NULL)
  CREATE INDEX token_user ON public.token USING btree (user_id)

table unsettled
  noderole_id bigint not null
  constraint unsettled_pkey PRIMARY KEY (noderole_id)

table user_grant
  deployment_id bigint not null
  role text not null
  user_id bigint not null
  constraint user_grant_deployment FOREIGN KEY (deployment_id) REFERENCES deployment(id) ON DELETE CASCADE
  constraint user_grant_pkey PRIMARY KEY (user_id, deployment_id)
  constraint user_grant_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'admin'::text])))
  constraint user_grant_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE

table webhook
  active boolean not null default true
  created_at timestamp with time zone not null default now()
  disabled_reason text
  failing integer not null default 0
  id bigint not null generated always as identity
  kinds text[] not null default '{}'::text[]
  name text not null
  revision bigint not null default 1
  secret text not null
  url text not null
  constraint webhook_name_taken UNIQUE (name)
  constraint webhook_pkey PRIMARY KEY (id)

table webhook_delivery
  attempts integer not null default 0
  created_at timestamp with time zone not null default now()
  dead_at timestamp with time zone
  delivered_at timestamp with time zone
  error text
  event_id bigint not null
  id bigint not null generated always as identity
  last_at timestamp with time zone
  "position" bigint
  status integer
  webhook_id bigint not null
  constraint webhook_delivery_once_per_event UNIQUE (webhook_id, event_id)
  constraint webhook_delivery_pkey PRIMARY KEY (id)
  constraint webhook_delivery_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE
  CREATE INDEX webhook_delivery_created ON public.webhook_delivery USING btree (created_at)
  CREATE INDEX webhook_delivery_newest ON public.webhook_delivery USING btree (webhook_id, id DESC)

table worker
  concurrency integer not null default 10
  draining boolean not null default false
  id bigint not null generated always as identity
  lease_until timestamp with time zone not null
  name text not null
  started_at timestamp with time zone not null default now()
  status jsonb not null default '{}'::jsonb
  constraint worker_pkey PRIMARY KEY (id)
  CREATE INDEX worker_lease ON public.worker USING btree (lease_until)

table worker_sample
  at timestamp with time zone not null
  running integer not null
  since timestamp with time zone not null
  succeeded integer not null
  worker_id bigint not null
  constraint worker_sample_pkey PRIMARY KEY (at, worker_id)

sequence boot_config_version

sequence event_position

sequence fencing_token

view event_record
 SELECT e.batch_id,
    e.id AS row_id,
    p.step,
    (e.id + p.step) AS id,
    p.kind,
    e.at,
    e.deployment_id,
    e.node_id,
    p.noderole_id,
    p.run_id,
    p.payload
   FROM (event e
     CROSS JOIN LATERAL ( SELECT 0 AS step,
            e.kind,
            e.noderole_id,
            e.run_id,
            e.payload
          WHERE (e.token IS NULL)
        UNION ALL
         SELECT 0,
            'run.status'::text,
            e.noderole_id,
            e.run_id,
                CASE
                    WHEN (e.kind = 'run.claimed'::text) THEN jsonb_build_object('from', NULL::unknown, 'to', 'running', 'kind', 'run', 'token', e.token, 'lane', e.lane, 'worker', e.worker_id)
                    ELSE jsonb_build_object('from', 'running', 'to', 'succeeded', 'kind', 'run', 'token', e.token, 'lane', e.lane, 'error', NULL::unknown)
                END AS jsonb_build_object
          WHERE (e.token IS NOT NULL)
        UNION ALL
         SELECT 1,
            'noderole.state'::text,
            e.noderole_id,
                CASE
                    WHEN (e.kind = 'run.claimed'::text) THEN e.run_id
                    ELSE NULL::bigint
                END AS "case",
            jsonb_build_object('from',
                CASE
                    WHEN (e.kind = 'run.claimed'::text) THEN 'todo'::text
                    ELSE 'transition'::text
                END, 'to',
                CASE
                    WHEN (e.kind = 'run.claimed'::text) THEN 'transition'::text
                    ELSE 'active'::text
                END, 'role', e.role_id, 'reason', '', 'cause', e.cause, 'revision', e.revision) AS jsonb_build_object
          WHERE (e.token IS NOT NULL)
        UNION ALL
         SELECT 2,
            'noderole.state'::text,
            e.child_id,
            NULL::bigint,
            jsonb_build_object('from', 'blocked', 'to', 'todo', 'role', e.child_role_id, 'reason', '', 'cause', e.cause, 'revision', e.revision) AS jsonb_build_object
          WHERE (e.child_id IS NOT NULL)) p);

CREATE OR REPLACE FUNCTION public.address_multirange()
 RETURNS address_multirange
 LANGUAGE internal
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$multirange_constructor0$function$

CREATE OR REPLACE FUNCTION public.address_multirange(VARIADIC address_range[])
 RETURNS address_multirange
 LANGUAGE internal
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$multirange_constructor2$function$

CREATE OR REPLACE FUNCTION public.address_multirange(address_range)
 RETURNS address_multirange
 LANGUAGE internal
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$multirange_constructor1$function$

CREATE OR REPLACE FUNCTION public.address_range(inet, inet)
 RETURNS address_range
 LANGUAGE internal
 IMMUTABLE PARALLEL SAFE
AS $function$range_constructor2$function$

CREATE OR REPLACE FUNCTION public.address_range(inet, inet, text)
 RETURNS address_range
 LANGUAGE internal
 IMMUTABLE PARALLEL SAFE
AS $function$range_constructor3$function$

CREATE OR REPLACE FUNCTION public.agent_task_offered()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('hostwright_task', n.node_id::text)
    from (select distinct node_id from new_rows where status = 'offered') n;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.allocation_boot_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform bump_node_boot(array(select node_id from new_rows));
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.allocation_boot_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform bump_node_boot(array(select node_id from old_rows union select node_id from new_rows));
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.allocation_boot_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform bump_node_boot(array(select node_id from old_rows));
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.allocation_inside_range()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select 1 from network_range r where r.id = new.range_id and new.address between r.first and r.last) then
    raise exception 'address % lies outside its range', host(new.address)
      using errcode = 'check_violation', constraint = 'allocation_inside_range';
  end if;
  return new;
end $function$

CREATE OR REPLACE FUNCTION public.allocation_said(said text, allocations bigint[], addresses inet[], nodes bigint[], ranges bigint[])
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into event (batch_id, kind, node_id, payload)
    select event_batch_id(), said, a.node, jsonb_build_object('id', a.id, 'address', host(a.address), 'network', n.name, 'range', r.name)
    from unnest(allocations, addresses, nodes, ranges) a(id, address, node, range)
    left join network_range r on r.id = a.range left join network n on n.id = r.network_id order by a.id;
$function$

CREATE OR REPLACE FUNCTION public.allocation_said_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform allocation_said('allocation.created', array_agg(id order by id), array_agg(address order by id), array_agg(node_id order by id), array_agg(range_id order by id))
    from new_rows where released_at is null having count(*) > 0;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.allocation_said_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform allocation_said(d.kind, array_agg(d.id order by d.id), array_agg(d.address order by d.id), array_agg(d.node_id order by d.id), array_agg(d.range_id order by d.id))
    from (
      with pair as materialized (select o, n from old_rows o full join new_rows n on n.id = o.id)
      select (n).id, (n).range_id,
        case when (n).released_at is not null then (o).address else (n).address end as address,
        case when (n).released_at is not null then (o).node_id else (n).node_id end as node_id,
        case when (o).released_at is null and (n).released_at is not null then 'allocation.deleted'
             when (o).released_at is not null and (n).released_at is null then 'allocation.created'
             else 'allocation.changed' end as kind
      from pair
      where ((o).released_at is null or (n).released_at is null)
        and ((o).released_at is null, (o).address, (o).node_id, (o).range_id, (o).note) is distinct from ((n).released_at is null, (n).address, (n).node_id, (n).range_id, (n).note)
    ) d group by d.kind;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.allocation_said_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform allocation_said('allocation.deleted', array_agg(id order by id), array_agg(address order by id), array_agg(node_id order by id), array_agg(range_id order by id))
    from old_rows where released_at is null having count(*) > 0;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.boot_ack_given()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- A row that is held is being changed, and stays: whoever changes nodes in several statements must neither
  -- be waited for nor deadlocked with. If the change is given up, the same version is fed and proved again.
  with proved as (
    select q.server_id, q.node_id from boot_behind q join new_rows a using (server_id, node_id)
    where q.version <= a.version for update of q skip locked)
  delete from boot_behind q using proved p where (q.server_id, q.node_id) = (p.server_id, p.node_id);
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.boot_ack_taken_back()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into boot_behind (server_id, node_id, version)
    select o.server_id, o.node_id, b.version from old_rows o
    join boot_server s on s.id = o.server_id join node_boot b on b.node_id = o.node_id
    order by o.server_id, o.node_id
  on conflict (server_id, node_id) do update set version = greatest(boot_behind.version, excluded.version);
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.boot_behind_lock()
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$ select hashtextextended('boot_behind', 0) $function$

CREATE OR REPLACE FUNCTION public.boot_server_queued()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock(boot_behind_lock());
  insert into boot_behind (server_id, node_id, version) select new.id, node_id, version from node_boot order by node_id;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.bump_node_boot(nodes bigint[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  -- in id order: two bumps of the same nodes cannot deadlock
  insert into node_boot (node_id, version)
    select n.id, nextval('boot_config_version') from (select distinct id from unnest(nodes) t(id) where id is not null order by id) n
    where exists (select 1 from node where node.id = n.id)
  on conflict (node_id) do update set version = nextval('boot_config_version');
  if found then perform pg_notify('hostwright_boot', ''); end if;
end $function$

CREATE OR REPLACE FUNCTION public.end_runs(runs bigint[], tokens bigint[], lines integer[])
 RETURNS TABLE(id bigint, logged integer, snapshot_id bigint)
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
#variable_conflict use_column
declare
  found_runs integer; own bigint[]; held bigint[]; nodes bigint[]; lanes text[]; deployments bigint[]; roles bigint[];
  causes text[]; revisions bigint[]; current bigint[]; children bigint[]; child_roles bigint[]; others bigint[]; wakes boolean; soft boolean;
  edges_read bigint; edges_now bigint;
  logged_lines integer[]; snapshots bigint[];
begin
  perform set_config('hostwright.tells', 'batch', true);
  with done as (
    update run r set status = 'succeeded', ended_at = now(), error = null, blame = null, retryable = null, waiting_for = null,
      log_lines = r.log_lines + c.lines
    from unnest(runs, tokens, lines) as c(id, token, lines)
    -- not plainly r.status: an index of live runs would look cheaper than one descent for each
    where r.id = c.id and r.token = c.token and r.status || '' = 'running' and r.kind = 'run'
    returning r.id, r.noderole_id, r.input_hash, r.token, r.log_lines - c.lines as logged
  ), moved as (
    update noderole w set state = 'active', state_since = now(), run_id = null, stale = false, reason = '', blocked_by = null,
      drifted = false, drift_reason = null, input_hash = d.input_hash, run_count = w.run_count + 1, failures = 0
    from done d
    where w.id = d.noderole_id and w.run_id = d.id and w.state = 'transition' and not w.stale and not w.removing and w.pending = 0
      and w.cause <> 'its worker was lost'
    returning d.id as run_id, d.token, d.logged, w.id, w.node_id, w.lane, w.deployment_id, w.role_id, w.cause, w.revision, w.snapshot_id
  )
  select (select count(*) from done), array_agg(m.run_id), array_agg(m.token), array_agg(m.id), array_agg(m.node_id), array_agg(m.lane),
    array_agg(m.deployment_id), array_agg(m.role_id), array_agg(m.cause), array_agg(m.revision),
    array_agg(m.logged), array_agg(m.snapshot_id)
  into found_runs, held, current, own, nodes, lanes, deployments, roles, causes, revisions, logged_lines, snapshots
  from (select * from moved order by id) m;
  if found_runs <> coalesce(cardinality(own), 0) then
    raise exception 'a noderole has more to it than a plain success' using errcode = 'HW001';
  end if;
  if found_runs > 0 then
    -- edges as they are now that the parents are locked
    with own_rows as materialized (
      select * from unnest(own, nodes, lanes, deployments, causes, revisions) as o(id, node_id, lane, deployment_id, cause, revision)
    ), kids as materialized (
      select e.child_id, count(*) filter (where not e.soft)::int as parents, bool_or(e.soft) as soft, min(o.id) as parent_id,
        bit_xor(hashint8extended(e.parent_id, e.child_id)) as edges,
        min(o.node_id) as node_id, min(o.deployment_id) as deployment_id, min(o.cause) as cause, min(o.revision) as revision
      from own_rows o join edge e on e.parent_id = o.id group by e.child_id order by e.child_id
    ), fed as (
      update noderole c set pending = greatest(0, c.pending - k.parents),
        state = case when c.state = 'blocked' and c.pending <= k.parents then 'todo' else c.state end,
        state_since = case when c.state = 'blocked' and c.pending <= k.parents then now() else c.state_since end,
        reason = case when c.state = 'blocked' and c.pending <= k.parents then '' else c.reason end,
        blocked_by = case when c.state = 'blocked' and c.pending <= k.parents then null else c.blocked_by end
      from kids k where c.id = k.child_id and k.parents > 0
      returning c.id, c.node_id, c.lane, c.role_id, c.priority, c.holds, c.state = 'todo' and c.state_since = now() as woke, k.parent_id,
        k.parents = 1 and k.node_id = c.node_id and k.deployment_id = c.deployment_id and k.cause = c.cause and k.revision = c.revision as alike
    ), awake as materialized (
      select f.*, f.alike and row_number() over (partition by f.parent_id order by not f.alike, f.id) = 1 as folded from fed f where f.woke
    ), counted as (
      update node_lane l set ready = l.ready + d.more,
          next_noderole = case when d.more = 0 then l.next_noderole when l.ready <= 0 and d.more = 1 then d.child_id end,
          busy = case when d.freed then false else l.busy end,
          ready_since = case when d.freed or (l.ready <= 0 and d.more > 0) then now() else l.ready_since end,
          priority = case when l.ready <= 0 then coalesce(d.priority, l.priority) else greatest(l.priority, d.priority) end
        from (
          select x.node_id, x.lane, bool_or(x.freed) as freed, sum(x.more)::int as more, max(x.priority) as priority, max(x.child_id) as child_id from (
            select o.node_id, o.lane, true as freed, 0 as more, null::int as priority, null::bigint as child_id from own_rows o
            union all select a.node_id, a.lane, false, 1, a.priority, a.id from awake a where a.holds = '{}') x
          group by x.node_id, x.lane order by x.node_id, x.lane) d
        where l.node_id = d.node_id and l.lane = d.lane
        returning d.more > 0 and l.open as wakes
    ), rested as (
      delete from unsettled u using own_rows o where u.noderole_id = o.id
    ), pairs as (
      select x.id, max(x.child_id) as child_id, max(x.role_id) as role_id from (
        select o.id, null::bigint as child_id, null::bigint as role_id from own_rows o
        union all select a.parent_id, a.id, a.role_id from awake a where a.folded) x
      group by x.id order by x.id
    )
    select (select bool_or(c.wakes) from counted c), (select bool_or(k.soft) from kids k), (select bit_xor(k.edges) from kids k),
      (select array_agg(a.id) from awake a where not a.folded), array_agg(p.child_id), array_agg(p.role_id)
    into wakes, soft, edges_read, others, children, child_roles from pairs p;
    -- a commit that took a child elsewhere may have held it until now: then these were the edges of before
    select bit_xor(hashint8extended(e.parent_id, e.child_id)) into edges_now from unnest(own) as o(id) join edge e on e.parent_id = o.id;
    if edges_now is distinct from edges_read then
      raise exception 'edges changed meanwhile' using errcode = 'HW001';
    end if;
    insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, token, role_id, lane, cause, revision, child_id, child_role_id)
      select (select event_batch_id()), 'run.done', o.deployment_id, o.node_id, o.id, o.run_id, o.token, o.role_id, o.lane, o.cause, o.revision,
        o.child_id, o.child_role_id
      from unnest(own, held, current, nodes, lanes, deployments, roles, causes, revisions, children, child_roles)
        as o(id, run_id, token, node_id, lane, deployment_id, role_id, cause, revision, child_id, child_role_id);
    if others is not null then
      insert into event (batch_id, kind, deployment_id, node_id, noderole_id, payload)
        select (select event_batch_id()), 'noderole.state', w.deployment_id, w.node_id, w.id,
          jsonb_build_object('from', 'blocked', 'to', 'todo', 'role', w.role_id, 'reason', '', 'cause', w.cause, 'revision', w.revision)
        from unnest(others) as o(id) join noderole w on w.id = o.id;
    end if;
    if wakes then
      perform pg_notify('hostwright_wake', '');
    end if;
  end if;
  perform set_config('hostwright.tells', '', true);
  if soft then
    update noderole c set holds = array_remove(c.holds, 'order')
      where c.id in (select e.child_id from unnest(own) as o(id) join edge e on e.parent_id = o.id and e.soft) and 'order' = any(c.holds);
  end if;
  return query select * from unnest(held, logged_lines, snapshots);
end $function$

CREATE OR REPLACE FUNCTION public.event_batch_id()
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare b bigint := nullif(current_setting('hostwright.batch', true), '')::bigint;
begin
  if b is null then
    insert into event_batch default values returning id into b;
    perform set_config('hostwright.batch', b::text, true);
    perform pg_notify('hostwright_event', '');
  end if;
  return b;
end $function$

CREATE OR REPLACE FUNCTION public.name_filter_boot_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform bump_node_boot(array(select node_id from allocation where released_at is null and node_id is not null));
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.network_boot_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform bump_node_boot(array(
    with pair as materialized (select o, n from old_rows o full join new_rows n on n.id = o.id)
    select a.node_id from pair join network_range r on r.network_id = (n).id join allocation a on a.range_id = r.id
    where ((o).name, (o).category, (o).domain) is distinct from ((n).name, (n).category, (n).domain)
      and a.released_at is null and a.node_id is not null));
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.network_part_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform network_part_said(array(select distinct network_id from new_rows));
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.network_part_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform network_part_said(array(select distinct network_id from old_rows));
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.network_part_said(networks bigint[])
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into event (batch_id, kind, payload)
    select event_batch_id(), 'network.changed', jsonb_build_object('id', n.id, 'name', n.name)
    from network n where n.id = any(networks) order by n.id;
$function$

CREATE OR REPLACE FUNCTION public.network_range_boot_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform bump_node_boot(array(
    with pair as materialized (select o, n from old_rows o full join new_rows n on n.id = o.id)
    select a.node_id from pair join allocation a on a.range_id = (n).id
    where ((o).name, (o).subnet) is distinct from ((n).name, (n).subnet) and a.released_at is null and a.node_id is not null));
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.network_said()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into event (batch_id, kind, payload)
      select event_batch_id(), 'network.created', jsonb_build_object('id', n.id, 'name', n.name) from new_rows n order by n.id;
  elsif tg_op = 'UPDATE' then
    insert into event (batch_id, kind, payload)
      select event_batch_id(), 'network.changed', jsonb_build_object('id', n.id, 'name', n.name)
      from old_rows o full join new_rows n on n.id = o.id where o is distinct from n order by n.id;
  else
    insert into event (batch_id, kind, payload)
      select event_batch_id(), 'network.deleted', jsonb_build_object('id', o.id, 'name', o.name) from old_rows o order by o.id;
  end if;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.node_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into node_lane (node_id, lane, open)
    select n.id, l.lane, n.alive and n.available and n.deleted_at is null from new_rows n cross join (values ('host'), ('service')) l(lane);
  insert into event (batch_id, kind, deployment_id, node_id, payload)
    select event_batch_id(), 'node.created', n.deployment_id, n.id, jsonb_build_object('name', n.name) from new_rows n order by n.id;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.node_boot_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform bump_node_boot(array(select id from new_rows));
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.node_boot_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform bump_node_boot(array(
    with pair as materialized (select o, n from old_rows o full join new_rows n on n.id = o.id)
    select (n).id from pair
    where ((o).name, (o).macs, (o).bootenv, (o).deleted_at is null) is distinct from ((n).name, (n).macs, (n).bootenv, (n).deleted_at is null)
      or (o).discovery -> 'ssh_host_keys' is distinct from (n).discovery -> 'ssh_host_keys'
      or (o).labels is distinct from (n).labels and exists (select 1 from name_filter where matcher::text like '%"node.label.%')
      or (o).deployment_id is distinct from (n).deployment_id
        and exists (select 1 from name_filter where template like '%node.deployment%' or matcher ? 'node.deployment')));
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.node_boot_queued()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock_shared(boot_behind_lock());
  -- always an update, never nothing: the row lock keeps a proof of the version before from taking the row away;
  -- servers are locked, so that one which goes at this moment is left out, and no node's change fails for it
  insert into boot_behind (server_id, node_id, version)
    select s.id, n.node_id, n.version from new_rows n cross join (select id from boot_server for key share) s order by s.id, n.node_id
  on conflict (server_id, node_id) do update set version = excluded.version;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.node_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  with pair as materialized (
    select n.id, o.alive and o.available and o.deleted_at is null as was, n.alive and n.available and n.deleted_at is null as open
    from old_rows o full join new_rows n on n.id = o.id)
  update node_lane l set open = p.open, ready_since = now() from pair p where l.node_id = p.id and p.was <> p.open;
  if found then
    perform pg_notify('hostwright_wake', '');
  end if;
  with pair as materialized (select o, n from old_rows o full join new_rows n on n.id = o.id)
  insert into event (batch_id, kind, deployment_id, node_id, payload)
    select event_batch_id(), case when (n).deleted_at is not null and (o).deleted_at is null then 'node.deleted' else 'node.changed' end,
           (n).deployment_id, (n).id,
           jsonb_strip_nulls(jsonb_build_object(
             'name', (n).name,
             'alive', case when (o).alive <> (n).alive then (n).alive end,
             'aliveReason', case when (o).alive <> (n).alive then (n).alive_reason end,
             'available', case when (o).available <> (n).available then (n).available end,
             'bootenv', case when (o).bootenv <> (n).bootenv then (n).bootenv end,
             'bootEpoch', case when (o).boot_epoch <> (n).boot_epoch then (n).boot_epoch end,
             'deployment', case when (o).deployment_id <> (n).deployment_id then (n).deployment_id end,
             'facts', case when (o).discovery <> (n).discovery then true end,
             'hint', case when (o).hint <> (n).hint then true end,
             'labels', case when (o).labels <> (n).labels then (n).labels end))
    from pair
    where ((o).name, (o).alive, (o).available, (o).bootenv, (o).boot_epoch, (o).deployment_id, (o).discovery, (o).hint, (o).labels, (o).description, (o).deleted_at)
      is distinct from ((n).name, (n).alive, (n).available, (n).bootenv, (n).boot_epoch, (n).deployment_id, (n).discovery, (n).hint, (n).labels, (n).description, (n).deleted_at)
    order by (n).id;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.node_discovered()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$

CREATE OR REPLACE FUNCTION public.node_said_hello()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  with pair as materialized (
    select n.id, n.boot_epoch, o.boot_epoch as was from old_rows o full join new_rows n on n.id = o.id),
  said as (
    select a.id, p.boot_epoch from pair p
    cross join lateral (select id, hello_at from boot_attempt where node_id = p.id order by id desc limit 1) a
    where p.boot_epoch > p.was and a.hello_at is null),
  told as (
    insert into boot_event (attempt_id, kind, text) select id, 'hello', 'the agent said hello in boot ' || boot_epoch from said returning attempt_id)
  update boot_attempt set hello_at = now() where id in (select attempt_id from told);
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.node_taken_back()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update boot_attempt set node_id = new.id
    where node_id is null and mac = any(new.macs) and started_at > now() - interval '1 day';
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.node_token_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('hostwright_node_token', old.node_id::text);
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.noderole_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into unsettled select n.id from new_rows n where n.state <> 'active';
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, payload)
    select (select event_batch_id()), 'noderole.state', n.deployment_id, n.node_id, n.id,
           jsonb_build_object('from', null, 'to', n.state, 'role', n.role_id, 'cause', n.cause, 'revision', n.revision)
    from new_rows n order by n.id;
  update node_lane l set ready = l.ready + d.added, next_noderole = null,
      ready_since = case when l.ready <= 0 then now() else l.ready_since end,
      priority = greatest(case when l.ready <= 0 then d.priority else l.priority end, d.priority)
    from (select node_id, lane, count(*)::int as added, max(priority) as priority
          from new_rows where state = 'todo' and holds = '{}' group by node_id, lane) d
    where l.node_id = d.node_id and l.lane = d.lane;
  if found then
    perform pg_notify('hostwright_wake', '');
  end if;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.noderole_batch_illegal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'noderole % may not go from % to % in a batch', old.id, old.state, new.state
    using errcode = 'check_violation', constraint = 'noderole_state_change_legal';
end $function$

CREATE OR REPLACE FUNCTION public.noderole_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare bad text; woken bigint;
begin
  if told_by_batch() then
    return null;
  end if;
  with pair as materialized (
    select n.id, n.deployment_id, n.node_id, n.role_id, n.run_id, n.lane, n.priority, n.reason, n.cause, n.revision,
           o.state as was, n.state as now,
           (n.state = 'todo' and n.holds = '{}')::int - (o.state = 'todo' and o.holds = '{}')::int as delta,
           (n.run_id is not null)::int - (o.run_id is not null)::int as held
    from old_rows o full join new_rows n on n.id = o.id
  ), illegal as (
    select format('noderole %s may not go from %s to %s', p.id, p.was, p.now) as text from pair p
    where p.was <> p.now
      and not exists (select 1 from noderole_transition t where t.from_state = p.was and t.to_state = p.now)
  ), told as (
    insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, payload)
      select (select event_batch_id()), 'noderole.state', p.deployment_id, p.node_id, p.id, p.run_id,
             jsonb_build_object('from', p.was, 'to', p.now, 'role', p.role_id, 'reason', p.reason, 'cause', p.cause, 'revision', p.revision)
      from pair p where p.was <> p.now order by p.id
  ), rested as (
    delete from unsettled u using pair p where u.noderole_id = p.id and p.was <> 'active' and p.now = 'active'
  ), stirred as (
    insert into unsettled select p.id from pair p where p.was = 'active' and p.now <> 'active' on conflict do nothing
  ), lanes as (
    select node_id, lane, max(priority) filter (where delta > 0) as priority, sum(delta)::int as delta, sum(held)::int as held,
      max(id) filter (where delta > 0) as newest
    from pair where delta <> 0 or held <> 0 group by node_id, lane order by node_id, lane
  ), moved as (
    -- greatest and coalesce pass over null: nothing came, the priority stays
    update node_lane l set ready = l.ready + d.delta,
        busy = case when d.held > 0 then true when d.held < 0 then false else l.busy end,
        ready_since = case when d.held < 0 or (l.ready <= 0 and d.delta > 0) then now() else l.ready_since end,
        next_noderole = case when d.newest is null then l.next_noderole when l.ready <= 0 and d.delta = 1 then d.newest end,
        priority = case when l.ready <= 0 then coalesce(d.priority, l.priority) else greatest(l.priority, d.priority) end
      from lanes d where (d.delta <> 0 or d.held <> 0) and l.node_id = d.node_id and l.lane = d.lane
      returning (d.delta > 0 and l.open)::int as woke
  )
  select (select min(text) from illegal), (select sum(woke) from moved) into bad, woken;
  if bad is not null then
    raise exception '%', bad using errcode = 'check_violation', constraint = 'noderole_state_change_legal';
  end if;
  if woken > 0 then
    perform pg_notify('hostwright_wake', '');
  end if;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.noderole_names_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from name_filter where matcher ? 'node.role') then
    perform bump_node_boot(array(select distinct node_id from changed_rows));
  end if;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.noderole_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from unsettled u using old_rows o where u.noderole_id = o.id;
  insert into removed_noderole select o.id, o.node_id from old_rows o;
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, payload)
    select (select event_batch_id()), 'noderole.removed', o.deployment_id, o.node_id, o.id,
           jsonb_build_object('from', o.state, 'role', o.role_id)
    from old_rows o order by o.id;
  update node_lane l set ready = l.ready - d.gone, busy = l.busy and not d.held
    from (select node_id, lane, count(*) filter (where state = 'todo' and holds = '{}')::int as gone, bool_or(run_id is not null) as held
          from old_rows group by node_id, lane) d
    where (d.gone > 0 or d.held) and l.node_id = d.node_id and l.lane = d.lane;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.run_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, payload)
    values (event_batch_id(), 'run.status', new.deployment_id, new.node_id, new.noderole_id, new.id,
      jsonb_build_object('from', null, 'to', new.status, 'kind', new.kind, 'token', new.token, 'lane', new.lane, 'worker', new.worker_id));
  if new.status = 'queued' then
    update node_lane l set ready = l.ready + 1, queued = l.queued + 1,
        ready_since = case when l.ready <= 0 then now() else l.ready_since end
      where l.node_id = new.node_id and l.lane = new.lane;
    perform pg_notify('hostwright_wake', '');
  end if;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.run_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare delta integer := (new.status = 'queued')::int - (old.status = 'queued')::int;
begin
  insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, payload)
    values (event_batch_id(), 'run.status', new.deployment_id, new.node_id, new.noderole_id, new.id,
      jsonb_build_object('from', old.status, 'to', new.status, 'kind', new.kind, 'token', new.token, 'lane', new.lane, 'error', new.error));
  if delta <> 0 then
    update node_lane l set ready = l.ready + delta, queued = l.queued + delta
      where l.node_id = new.node_id and l.lane = new.lane;
  end if;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.start_runs(worker bigint, noderoles bigint[], jigs text[], epochs bigint[], deadlines integer[], reboots boolean[], inputs text[], frozen text[])
 RETURNS TABLE(id bigint, noderole_id bigint, token bigint, deadline_at timestamp with time zone)
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
#variable_conflict use_column
begin
  perform set_config('hostwright.tells', 'batch', true);
  return query
  with moved as (
    update noderole w set run_id = nextval('run_id_seq'), stale = false, state = 'transition', state_since = now()
    from unnest(noderoles, jigs, epochs, deadlines, reboots, inputs, frozen) as p(id, jig, epoch, deadline, reboots, input, frozen)
    where w.id = p.id and w.state = 'todo' and w.run_id is null
      and not exists (select from run r where r.node_id = w.node_id and r.lane = w.lane and r.status in ('running', 'waiting', 'cancelling'))
    returning w.run_id as id, w.id as noderole_id, w.node_id, w.role_id, w.deployment_id, w.lane, w.failures, w.cause, w.revision,
      p.jig, p.epoch, p.reboots, p.input, p.frozen, now() + p.deadline * interval '1 second' as deadline_at
  ), given as materialized (
    select m.*, nextval('fencing_token') as token from moved m
  ), started as (
    insert into run (id, token, noderole_id, node_id, role_id, deployment_id, lane, jig, kind, status, attempt, worker_id, boot_epoch,
                     deadline_at, expects_reboot, input_hash, attribs_hash, cause, started_at)
    overriding system value
    select g.id, g.token, g.noderole_id, g.node_id, g.role_id, g.deployment_id, g.lane, g.jig, 'run', 'running', g.failures + 1, worker, g.epoch,
           g.deadline_at, g.reboots, g.input, g.frozen, g.cause, statement_timestamp()
    from given g
  ), lanes as (
    update node_lane l set ready = l.ready - 1, busy = true
    from given g where l.node_id = g.node_id and l.lane = g.lane
  ), told as (
    insert into event (batch_id, kind, deployment_id, node_id, noderole_id, run_id, token, worker_id, role_id, lane, cause, revision)
    select (select event_batch_id()), 'run.claimed', g.deployment_id, g.node_id, g.noderole_id, g.id, g.token, worker, g.role_id, g.lane, g.cause, g.revision
    from given g
  )
  select g.id, g.noderole_id, g.token, g.deadline_at from given g;
  perform set_config('hostwright.tells', '', true);
end $function$

CREATE OR REPLACE FUNCTION public.told_by_batch()
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(current_setting('hostwright.tells', true), '') = 'batch'
$function$
