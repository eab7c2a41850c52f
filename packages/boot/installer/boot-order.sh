#!/bin/sh
# In which order UEFI firmware tries what it can boot; sourced by what installs a system. The network
# entry that brought the machine here stays first: every start asks Hostwright, so a machine without a
# BMC can be installed again. The disk is next: else a machine that is told to start from it goes through
# all other network entries before, minutes at each start. Firmware that takes no entry looks for the
# disk by itself, so nothing here ends an installation: what went wrong is said on standard output.

boot_entries() {
  variables=${EFIVARFS_PATH:-/sys/firmware/efi/efivars/}
  [ -d "$variables" ] && command -v efibootmgr >/dev/null || return 1
  if ! ls "$variables" | grep -q .; then
    modprobe -q efivarfs
    mount -t efivarfs efivarfs "$variables" || return 1
  fi
  efibootmgr -v
}

# The number of the partition that firmware looks for loaders in.
esp_of() { # DISK
  sfdisk -d "$1" 2>/dev/null | sed -n 's/^[^ ]*[^0-9]\([0-9]*\) : .*type=\(C12A7328-F81F-11D2-BA4B-00A0C93EC93B\|ef\).*/\1/p' | head -n 1
}

# An entry per DISK PARTITION for the loader that is found there; those of an installation before go.
enter_disks() { # DISK PARTITION [DISK PARTITION]
  entries=$(boot_entries) || { echo 'the firmware tells no boot entries'; return 0; }
  for old in $(echo "$entries" | sed -n 's/^Boot\([0-9A-F]\{4\}\)[* ]\{0,1\} Hostwright \(second \)\{0,1\}disk.*/\1/p'); do
    efibootmgr -q -B -b "$old" || echo "the old boot entry $old stays"
  done
  # the one made last comes first
  [ $# -gt 2 ] && enter_disk "$3" "$4" 'Hostwright second disk'
  enter_disk "$1" "$2" 'Hostwright disk'
}

enter_disk() { # DISK PARTITION LABEL
  [ -n "$2" ] || { echo "$1 has no partition for firmware"; return 0; }
  efibootmgr -q -c -d "$1" -p "$2" -L "$3" -l '\EFI\BOOT\BOOTX64.EFI' 2>&1 || echo "the firmware takes no boot entry for $1"
}

network_first() {
  entries=$(boot_entries) || return 0
  order=$(echo "$entries" | sed -n 's/^BootOrder: //p' | tr , ' ')
  # one that was started from a medium is not to be so again: the first card of its order then
  for first in $(echo "$entries" | sed -n 's/^BootCurrent: //p') $order; do
    echo "$entries" | grep -q "^Boot$first.*MAC(" || continue
    rest=$(echo "$order" | tr ' ' '\n' | grep -vx "$first" | paste -s -d , -)
    efibootmgr -q -o "$first${rest:+,$rest}" 2>&1 || echo 'the firmware takes no boot order'
    return 0
  done
}
