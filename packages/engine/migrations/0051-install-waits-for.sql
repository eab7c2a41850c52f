-- What an installation waits for in its phase, in words, so that `why` can say it without knowing the phases.
alter table os_install add column waits_for text not null default '';
-- In which phase it was when it failed.
alter table os_install add column failed_in text;
