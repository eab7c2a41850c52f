-- A join token that a boot was given is for the machine of that boot, not for whoever holds it.
alter table token add column boot_intent_id bigint references boot_intent (id) on delete cascade;
create index token_boot_intent on token (boot_intent_id) where boot_intent_id is not null;
