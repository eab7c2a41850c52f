-- Erasing is an installation that puts nothing there: the same phases, the same leave given once.
insert into boot_env (name, kind, description, kernel, initrds, cmdline) values
  ('erase', 'install', 'Erases disks, then boots into discovery', 'discovery/vmlinuz', '{discovery/initrd.img}', 'console=tty0 console=ttyS0 quiet panic=30');
