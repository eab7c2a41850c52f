#!/bin/sh
# Erases the disks of the plan, from the discovery environment. Runs once per consent: the server gives
# leave once per run. All values come from the server's checked plan; none is ever evaluated.
set -u
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
seed() { sed -n "s/^$1=//p" "${SEED:-/etc/hostwright/seed}" | head -n 1; }
base=$(seed url)/boot/v1/install/$(seed install)
ask() { curl -q -fsS --cacert /etc/hostwright/ca.pem --retry 8 --retry-all-errors --retry-delay 1 --connect-timeout 10 --max-time "$1" "$2" ${3:+--data-binary "$3"}; }
say() { echo "hostwright: $*"; ask 20 "$base/log" "$*" >/dev/null 2>&1; }
leave() { sync; sleep 2; reboot -f; exit 1; }
stop() { say "stopped: $*"; ask 60 "$base/failed" "reason=$*" >/dev/null; leave; }

# The disk is found by its serial and size; a disk that has become another one is not touched.
serial_of() { # NAME
  s_path=${SYS:-/sys}/block/$1
  for file in "$s_path/device/serial" "$s_path/serial" "$s_path/device/vpd_pg80" "$s_path/wwid" "$s_path/device/wwid"; do
    [ -r "$file" ] || continue
    skip=1
    [ "${file##*/}" = vpd_pg80 ] && skip=5
    # not every one of them ends its line
    echo "$(tail -c +$skip "$file" 2>/dev/null | tr -d '\000' | head -n 1 | sed 's/^[[:space:]]*//; s/[[:space:]]*$//' | tr -c 'A-Za-z0-9._\n-' '_')"
  done
}
find_disk() { # SERIAL BYTES
  for path in "${SYS:-/sys}"/block/*; do
    [ "$(($(cat "$path/size" 2>/dev/null || echo 0) * 512))" = "$2" ] || continue
    serial_of "${path##*/}" | grep -qxF -e "$1" && { echo "${path##*/}"; return 0; }
  done
  return 1
}

# Both ends of a device: labels, tables, superblocks and marks of mirrors lie there.
clear_ends() { # DEVICE
  c_bytes=$(blockdev --getsize64 "$1" 2>/dev/null || wc -c <"$1") || return 1
  c_step=1048576
  c_all=$((c_bytes / c_step))
  c_some=16
  [ "$c_all" -lt 32 ] && c_some=$c_all
  dd if=/dev/zero of="$1" bs=$c_step count="$c_some" conv=notrunc,fsync 2>/dev/null || return 1
  dd if=/dev/zero of="$1" bs=$c_step seek=$((c_all - c_some)) count="$c_some" conv=notrunc,fsync 2>/dev/null || return 1
  # what does not fill a whole step
  c_rest=$((c_bytes - c_all * c_step))
  [ "$c_rest" -gt 0 ] || return 0
  dd if=/dev/zero of="$1" bs=512 seek=$((c_all * c_step / 512)) count=$((c_rest / 512)) conv=notrunc,fsync 2>/dev/null
}
fill() { # DEVICE
  f_bytes=$(blockdev --getsize64 "$1" 2>/dev/null || wc -c <"$1") || return 1
  dd if=/dev/zero of="$1" bs=1048576 count=$((f_bytes / 1048576)) conv=notrunc,fsync 2>/dev/null
}
erase() { # DEVICE PARTITIONS... ; HOW is quick or full
  e_device=$1
  shift
  for e_part in "$@"; do clear_ends "$e_part" || return 1; done
  if [ "${HOW:-quick}" = full ]; then
    # what is left at the end is cleared below; a disk that cannot be written to its end is not erased
    blkdiscard -z -f "$e_device" 2>/dev/null || fill "$e_device" || return 1
  fi
  clear_ends "$e_device"
}

# `. erase.sh functions` for whoever wants to try them on a file
[ "${1:-}" = functions ] && return 0

ask 60 "$base/plan" >/run/plan || stop 'the plan cannot be read'
plan() { sed -n "s/^$1=//p" /run/plan | head -n 1; }
HOW=$(plan erase)
disks=
count=0
claim=
while IFS=' ' read -r serial bytes; do
  disk=$(find_disk "$serial" "$bytes") || stop "there is no disk with serial $serial and $bytes bytes; nothing was erased"
  disks="$disks $disk"
  count=$((count + 1))
  suffix=$count
  [ "$count" = 1 ] && suffix=
  claim="$claim${claim:+&}serial$suffix=$serial&bytes$suffix=$bytes"
done <<DISKS
$(sed -n 's/^erase_disk=//p' /run/plan)
DISKS
[ -n "$disks" ] || stop 'the plan names no disk'
answer=$(ask 60 "$base/wipe" "$claim") || stop 'no leave to erase'
[ "$answer" = granted ] || stop 'no leave to erase'
for disk in $disks; do
  say "erasing $disk ($HOW)"
  set --
  for path in "/sys/block/$disk/$disk"*; do [ -d "$path" ] && set -- "$@" "/dev/${path##*/}"; done
  erase "/dev/$disk" "$@" || stop "writing to $disk failed"
done
sync
say "erased:$disks"
ask 120 "$base/finished" 'ok=1' >/dev/null || stop 'the server does not take the end'
leave
