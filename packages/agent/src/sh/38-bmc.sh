# Where the machine's management controller is reached.

# What `ipmitool lan print` says, by the name of its line.
bmc_line() { sed -n "s/^$1[[:space:]]*: //p" "$state/bmc.txt" | head -n 1 | cut -c 1-64; }

# A BMC answers slowly or not at all: asked once per boot, for at most ten seconds per channel.
bmc_json() {
  b_there=
  for b_file in "$root"/dev/ipmi0 "$root"/dev/ipmi/0 "$root"/sys/firmware/dmi/entries/38-0; do
    [ -e "$b_file" ] && b_there=yes
  done
  [ -n "$b_there" ] || { echo null; return; }
  b_address=null b_mac=null b_source=null b_channel=null
  if command -v ipmitool >/dev/null 2>&1 && [ -w "$root/dev/ipmi0" ]; then
    mkdir -p "$state"
    if [ "$(cat "$state/bmc.boot" 2>/dev/null)" != "$boot" ]; then
      : >"$state/bmc.txt"
      # most machines have it on 1; Dell, HPE and Supermicro boards also on 2, 3 or 8
      for b_number in 1 2 3 8; do
        within 10 ipmitool lan print $b_number >"$state/bmc.new" 2>/dev/null </dev/null || continue
        grep -q '^IP Address  *: [1-9]' "$state/bmc.new" || continue
        { echo "Channel : $b_number"; cat "$state/bmc.new"; } >"$state/bmc.txt"
        break
      done
      rm -f "$state/bmc.new"
      printf '%s\n' "$boot" >"$state/bmc.boot"
    fi
    if [ -s "$state/bmc.txt" ]; then
      b_address=$(text "$(bmc_line 'IP Address')")
      b_mac=$(text "$(bmc_line 'MAC Address')")
      b_source=$(text "$(bmc_line 'IP Address Source')")
      b_channel=$(bmc_line Channel)
      is_number "$b_channel" || b_channel=null
    fi
  fi
  printf '{"kind":"ipmi","address":%s,"mac":%s,"source":%s,"channel":%s}' "$b_address" "$b_mac" "$b_source" "$b_channel"
}
