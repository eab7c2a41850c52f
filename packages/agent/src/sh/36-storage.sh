# What lies on a disk before anybody erases it: partition tables, file systems, members of volume
# groups and arrays. Only read; a disk that does not answer costs ten seconds, not the report.

within() { # SECONDS COMMAND...
  if command -v timeout >/dev/null 2>&1; then
    timeout "$@"
  else
    shift
    "$@"
  fi
}

# busybox has a blkid too, which cannot probe
prober() {
  if command -v wipefs >/dev/null 2>&1; then
    echo wipefs
  elif blkid -V 2>/dev/null | grep -q util-linux; then
    echo blkid
  fi
}

# Lines "TYPE LABEL", each once; the tools write odd characters as escapes. Fails if the device could
# not be looked at: that is not the same as finding nothing.
signatures_of() { # PROBER DEVICE
  [ -r "$2" ] || return 1
  case $1 in
    wipefs)
      s_raw=$(within 10 wipefs -n -p "$2" 2>/dev/null </dev/null) || return 1
      printf '%s\n' "$s_raw" | awk -F, '
        /^0x/ {
          # offset,uuid,label,type: a label may hold commas
          type = $NF; label = $3
          for (i = 4; i < NF; i++) label = label "," $i
          gsub(/\\x20/, " ", label)
          if (type != "PMBR") print type (label == "" ? "" : " " label)
        }'
      ;;
    blkid)
      s_raw=$(within 10 blkid -p -o export "$2" 2>/dev/null </dev/null)
      # 2: nothing was found
      case $? in 0 | 2) ;; *) return 1 ;; esac
      printf '%s\n' "$s_raw" | awk '
        { at = index($0, "="); key = substr($0, 1, at - 1); value = substr($0, at + 1) }
        key == "TYPE" || key == "PTTYPE" { type = value }
        key == "LABEL" { label = value }
        END { if (type != "") print type (label == "" ? "" : " " label) }'
      ;;
  esac | awk '!seen[$0]++' | head -n 16 | cut -c 1-200
}

# A list, or null where nobody could look.
signatures_json() { # NAME of a disk
  s_prober=$(prober)
  [ -n "$s_prober" ] && [ -e "$root/dev/$1" ] || { printf null; return; }
  s_lines=
  for s_path in "$root/sys/block/$1" "$root/sys/block/$1/$1"*; do
    s_name=${s_path##*/}
    [ -d "$s_path" ] && [ -e "$root/dev/$s_name" ] || continue
    s_found=$(signatures_of "$s_prober" "$root/dev/$s_name") || { printf null; return; }
    [ -n "$s_found" ] || continue
    s_prefix=
    [ "$s_name" = "$1" ] || s_prefix="$s_name: "
    s_lines=$s_lines$(printf '%s\n' "$s_found" | while IFS= read -r s_line; do printf '%s\n' "$s_prefix$s_line"; done)'
'
  done
  s_comma=
  printf '['
  printf %s "$s_lines" | head -n 64 | while IFS= read -r s_line; do
    printf '%s%s' "$s_comma" "$(text "$s_line")"
    s_comma=,
  done
  printf ']'
}
