# For scripts in sh: . "$HOSTWRIGHT_LIB"
# No jq needed. docs/reference/script-contract.md says more.

# read_attrib PATH [DEFAULT]: the value at a slash-separated path. Texts as they are, else JSON.
# Fails if there is neither value nor default.
read_attrib() {
  _hw_file=$HOSTWRIGHT_DIR/attr/$(printf %s "$1" | LC_ALL=C tr '[:lower:]' '[:upper:]' | LC_ALL=C tr -c 'A-Z0-9' _)
  if [ -f "$_hw_file" ]; then
    cat "$_hw_file"
  elif [ $# -gt 1 ]; then
    printf %s "$2"
  else
    echo "there is no attribute $1" >&2
    return 1
  fi
}

# json_string: stdin as a JSON string, whatever bytes it holds. Bytes that are not UTF-8 become U+FFFD.
json_string() {
  od -An -v -tu1 | awk '
    function flush_bad() { if (need) { printf "\\ufffd"; need = 0 } }
    BEGIN { printf "\"" }
    { for (i = 1; i <= NF; i++) {
        b = $i + 0
        if (need) {
          if (b >= 128 && b < 192) {
            code = code * 64 + (b - 128)
            if (--need == 0) {
              if (code < low || code > 1114111 || (code >= 55296 && code < 57344)) printf "\\ufffd"
              else if (code < 65536) printf "\\u%04x", code
              else { code -= 65536; printf "\\u%04x\\u%04x", 55296 + int(code / 1024), 56320 + code % 1024 }
            }
            continue
          }
          flush_bad()
        }
        if (b == 34) printf "\\\""
        else if (b == 92) printf "\\\\"
        else if (b < 32 || b == 127) printf "\\u%04x", b
        else if (b < 127) printf "%c", b
        else if (b >= 194 && b < 224) { need = 1; code = b - 192; low = 128 }
        else if (b >= 224 && b < 240) { need = 2; code = b - 224; low = 2048 }
        else if (b >= 240 && b < 245) { need = 3; code = b - 240; low = 65536 }
        else printf "\\ufffd"
      } }
    END { flush_bad(); printf "\"" }'
}

# reboot_machine: for roles with the flag `reboots`. Does not return; the scripts that follow run in
# the next boot.
reboot_machine() {
  sync
  if [ -n "${HOSTWRIGHT_REBOOT:-}" ]; then
    sh -c "$HOSTWRIGHT_REBOOT"
  elif [ -d /run/systemd/system ]; then
    systemctl reboot
  else
    reboot || reboot -f
  fi
  # it takes its time: nothing more may happen in this boot
  while :; do sleep 60; done
}

# write_wall PATH VALUE: a text. write_wall_json PATH JSON: anything else.
write_wall() { write_wall_json "$1" "$(printf %s "$2" | json_string)"; }

write_wall_json() {
  _hw_open=''
  _hw_shut=''
  _hw_rest=$1
  while :; do
    _hw_key=${_hw_rest%%/*}
    _hw_open="$_hw_open{$(printf %s "$_hw_key" | json_string):"
    _hw_shut="$_hw_shut}"
    [ "$_hw_key" = "$_hw_rest" ] && break
    _hw_rest=${_hw_rest#*/}
  done
  printf '%s%s%s\n' "$_hw_open" "$2" "$_hw_shut" >>"$HOSTWRIGHT_WALL"
}
