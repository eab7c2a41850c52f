-- memtest is another program under UEFI; rescue has SSH and no agent, so it reports by a token of its own.
alter table boot_env add column kernel_efi text not null default '';   -- empty: the same under UEFI
update boot_env set kernel_efi = 'memtest/memtest.efi', cmdline = 'console=ttyS0,115200',
  description = 'memtest86+, on the screen and on the first serial port'
  where name = 'memtest';
update boot_env set cmdline = 'console=tty0 console=ttyS0 quiet panic=30',
  description = 'The discovery image with SSH for the operator''s keys; no agent, so no role runs'
  where name = 'rescue';
alter table boot_token drop constraint boot_token_purpose_check;
alter table boot_token add constraint boot_token_purpose_check check (purpose in ('seed', 'installer', 'os', 'rescue'));
