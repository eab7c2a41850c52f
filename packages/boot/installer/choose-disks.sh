#!/bin/sh
# Run by installers of distributions before they partition: choose-disks.sh URL. Finds the disks of the
# plan by serial and size, because a disk may have another name in this kernel than in the one that told
# it; asks leave to erase exactly those; prints their names. If anything is otherwise it says so to the
# server, prints nothing and fails. All values come from the server's checked plan; none is evaluated.
set -u
base=$1
sys=${SYS:-/sys}
# Debian's installer has wget, others have curl
fetch() { curl -q -fsS --max-time 60 "$1" 2>/dev/null || wget -q -O - "$1" 2>/dev/null; }
stop() {
  fetch "$base/failed?reason=$(printf %s "$1" | tr -c 'A-Za-z0-9._-' '+')" >/dev/null
  exit 1
}
serials_of() { # PATH
  for s_file in "$1/device/serial" "$1/serial" "$1/device/vpd_pg80" "$1/wwid" "$1/device/wwid"; do
    [ -r "$s_file" ] || continue
    # vpd_pg80 begins with four bytes of binary
    s_skip=0
    [ "${s_file##*/}" = vpd_pg80 ] && s_skip=4
    # not every one of them ends its line
    echo "$(dd if="$s_file" bs=1 skip=$s_skip 2>/dev/null | tr -d '\000' | head -n 1 | sed 's/^[[:space:]]*//; s/[[:space:]]*$//' | tr -c 'A-Za-z0-9._\n-' '_')"
  done
}
find_disk() { # SERIAL BYTES
  f_found=
  for f_path in "$sys"/block/*; do
    [ "$(($(cat "$f_path/size" 2>/dev/null || echo 0) * 512))" = "$2" ] || continue
    f_serials=$(serials_of "$f_path" | tr '\n' ' ')
    case " $f_serials " in *" $1 "*) ;; *) [ -z "$1" ] || continue ;; esac
    # two that cannot be told apart: neither
    [ -z "$f_found" ] || return 1
    f_found=${f_path##*/}
  done
  [ -n "$f_found" ] && echo "$f_found"
}

lines=$(fetch "$base/plan") || stop 'the plan cannot be read'
plan() { printf '%s\n' "$lines" | sed -n "s/^$1=//p" | head -n 1; }
names= claim=
for number in '' 2; do
  bytes=$(plan "disk${number}_bytes") serial=$(plan "disk${number}_serial")
  [ "${bytes:-0}" = 0 ] && continue
  name=$(find_disk "$serial" "$bytes") || stop "no disk or several have serial $serial and $bytes bytes"
  names="$names${names:+ }$name"
  claim="$claim${claim:+&}serial$number=$serial&bytes$number=$bytes"
done
[ -n "$names" ] || stop 'the plan names no disk'
[ "$(fetch "$base/wipe?$claim")" = granted ] || stop 'no leave to erase the disks'
echo "$names"
