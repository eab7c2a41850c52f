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

# Lines "TYPE LABEL", each once; the tools write odd characters as escapes.
signatures_of() { # DEVICE
  if command -v wipefs >/dev/null 2>&1; then
    within 10 wipefs -n -p "$1" 2>/dev/null </dev/null | awk -F, '
      /^0x/ {
        # offset,uuid,label,type: a label may hold commas
        type = $NF; label = $3
        for (i = 4; i < NF; i++) label = label "," $i
        gsub(/\\x20/, " ", label)
        if (type != "PMBR") print type (label == "" ? "" : " " label)
      }'
  elif command -v blkid >/dev/null 2>&1; then
    within 10 blkid -p -o export "$1" 2>/dev/null </dev/null | awk '
      { at = index($0, "="); key = substr($0, 1, at - 1); value = substr($0, at + 1) }
      key == "TYPE" || key == "PTTYPE" { type = value }
      key == "LABEL" { label = value }
      END { if (type != "") print type (label == "" ? "" : " " label) }'
  fi | awk '!seen[$0]++' | head -n 16 | cut -c 1-200
}

signatures_json() { # NAME of a disk
  s_comma=
  for s_path in "$root/sys/block/$1" "$root/sys/block/$1/$1"*; do
    s_name=${s_path##*/}
    [ -d "$s_path" ] && [ -e "$root/dev/$s_name" ] || continue
    s_prefix=
    [ "$s_name" = "$1" ] || s_prefix="$s_name: "
    signatures_of "$root/dev/$s_name" | while IFS= read -r s_line; do
      printf '%s\n' "$s_prefix$s_line"
    done
  done | head -n 64 | while IFS= read -r s_line; do
    printf '%s%s' "$s_comma" "$(text "$s_line")"
    s_comma=,
  done
}
