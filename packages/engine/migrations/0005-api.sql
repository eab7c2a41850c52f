-- What the API's lists read by. Partial or BRIN where the annealer writes, so that it pays nothing.
create index node_created on node (created_at, id) where deleted_at is null;
create index node_updated on node (updated_at, id) where deleted_at is null;
create index node_alive_changed on node (alive_changed_at, id) where deleted_at is null;
create index node_bootenv on node (bootenv, name) where deleted_at is null;
create index node_label_keys on node using gin (labels);
create index run_ended_when on run using brin (ended_at) with (autosummarize = on);
create index audit_actor on audit (actor, id desc);
create index audit_action on audit (action, id desc);
create index token_user on token (user_id);
create index session_of_user on session (user_id);
create index session_expiry on session (expires_at);
create index idempotency_key_age on idempotency_key (created_at);
create index noderole_drifted on noderole (node_id) where drifted;
create index noderole_degraded on noderole (node_id) where degraded_by is not null;
create index run_given_up on run (status, id desc) where status in ('cancelled', 'fenced');
