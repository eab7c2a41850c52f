-- A machine that asks without end must not fill the flight recorder: events are counted, and cut off.
alter table boot_attempt add column events integer not null default 0;
update boot_attempt a set events = e.count from (select attempt_id, count(*) as count from boot_event group by 1) e where e.attempt_id = a.id;
-- Deleting an intent looks here for its attempts: without this, at every row of the table.
create index boot_attempt_intent on boot_attempt (intent_id) where intent_id is not null;
