-- When a boot of a node was last told of by an event: one event a second speaks for all that is seen in it.
alter table boot_attempt add column told_at timestamptz;
