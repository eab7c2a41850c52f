# What this machine is made of, from /sys, /proc and /etc only.

dmi() { text_of "$root/sys/class/dmi/id/$1"; }

host_name() { text_of "$root/proc/sys/kernel/hostname"; }

# Cards with hardware behind them: a bridge's or a container's MAC is not this machine's.
cards() {
  for c_card in "$root"/sys/class/net/*; do
    [ -e "$c_card/address" ] || continue
    [ -e "$c_card/device" ] && echo "${c_card##*/}"
  done
}
# In a container or on an odd bus no card has a device: better any address than no identity.
identity_cards() {
  c_found=$(cards)
  [ -n "$c_found" ] && { echo "$c_found"; return; }
  for c_card in "$root"/sys/class/net/*; do
    [ "$(line_of "$c_card/type")" = 1 ] && [ -e "$c_card/address" ] && echo "${c_card##*/}"
  done
}

macs_json() {
  m_comma=
  printf '['
  identity_cards | while IFS= read -r m_card; do
    printf '%s' "$m_comma"
    text_of "$root/sys/class/net/$m_card/address"
    m_comma=,
  done
  printf ']'
}

identity_json() {
  printf '{"hostname":%s,"boot_id":%s,"system_uuid":%s,"serial":%s,"macs":%s,"machine_id":%s}\n' \
    "$(host_name)" "$(text "$boot")" "$(text_of "$root/sys/class/dmi/id/product_uuid")" \
    "$(text_of "$root/sys/class/dmi/id/product_serial")" "$(macs_json)" "$(text_of "$root/etc/machine-id")"
}

cpu_json() {
  # A fact counted by awk is a number whatever the file held; the model is text.
  c_info=$root/proc/cpuinfo
  c_model=$(sed -n 's/^model name[[:space:]]*: //p; s/^Model[[:space:]]*: //p' "$c_info" 2>/dev/null | head -n 1)
  awk -F: '
    /^processor[ \t]*:/ { threads++ }
    /^physical id/ { physical = $2; sockets[$2] = 1 }
    /^core id/ { cores[physical "/" $2] = 1 }
    END {
      for (s in sockets) n_sockets++
      for (c in cores) n_cores++
      printf "\"sockets\":%d,\"cores\":%d,\"threads\":%d", n_sockets ? n_sockets : 1, n_cores ? n_cores : threads, threads
    }' "$c_info" 2>/dev/null || printf '"sockets":1,"cores":1,"threads":1'
  printf ',"model":%s' "$(text "$c_model")"
}

disks_json() {
  d_comma=
  for d_path in "$root"/sys/block/*; do
    d_name=${d_path##*/}
    case $d_name in loop* | ram* | zram* | sr* | fd* | dm-* | md* | nbd* | '*') continue ;; esac
    d_size=$(number_of "$d_path/size")
    case $d_size in null | 0) continue ;; esac
    d_serial=
    for d_file in device/serial serial device/vpd_pg80 wwid device/wwid; do
      [ -r "$d_path/$d_file" ] || continue
      # vpd_pg80 begins with four bytes of binary
      if [ "$d_file" = device/vpd_pg80 ]; then
        d_serial=$(tail -c +5 "$d_path/$d_file" 2>/dev/null | tr -d '\000' | head -n 1 | sed 's/^[[:space:]]*//; s/[[:space:]]*$//')
      else
        d_serial=$(line_of "$d_path/$d_file")
      fi
      [ -n "$d_serial" ] && break
    done
    d_transport=$(readlink -f "$d_path/device" 2>/dev/null | awk '
      /\/nvme/ { print "nvme"; next } /\/virtio/ { print "virtio"; next } /\/usb/ { print "usb"; next }
      /\/ata[0-9]/ { print "sata"; next } /\/mmc/ { print "mmc"; next } { print "scsi" }')
    d_rotational=false
    [ "$(line_of "$d_path/queue/rotational")" = 1 ] && d_rotational=true
    d_removable=false
    [ "$(line_of "$d_path/removable")" = 1 ] && d_removable=true
    printf '%s{"name":%s,"size_bytes":%s,"serial":%s,"model":%s,"rotational":%s,"removable":%s,"transport":%s,"signatures":%s}' \
      "$d_comma" "$(text "$d_name")" "$((d_size * 512))" "$(text "$d_serial")" \
      "$(text_of "$d_path/device/model")" "$d_rotational" "$d_removable" "$(text "${d_transport:-unknown}")" \
      "$(signatures_json "$d_name")"
    d_comma=,
  done
}

addresses_json() { # CARD
  [ -n "$root" ] && return 0
  command -v ip >/dev/null 2>&1 || return 0
  ip -o addr show dev "$1" scope global 2>/dev/null | awk '
    $3 ~ /^inet6?$/ && $4 ~ /^[0-9a-fA-F.:\/]+$/ { printf "%s\"%s\"", comma, $4; comma = "," }'
}

nics_json() {
  n_comma=
  for n_path in "$root"/sys/class/net/*; do
    n_name=${n_path##*/}
    [ -e "$n_path/address" ] && [ "$n_name" != lo ] || continue
    n_physical=false
    [ -e "$n_path/device" ] && n_physical=true
    n_carrier=false
    [ "$(line_of "$n_path/carrier")" = 1 ] && n_carrier=true
    n_driver=$(readlink "$n_path/device/driver" 2>/dev/null)
    printf '%s{"name":%s,"mac":%s,"speed_mbit":%s,"carrier":%s,"physical":%s,"driver":%s,"mtu":%s,"addresses":[%s],"lldp":%s}' \
      "$n_comma" "$(text "$n_name")" "$(text_of "$n_path/address")" "$(number_of "$n_path/speed")" "$n_carrier" \
      "$n_physical" "$(text "${n_driver##*/}")" "$(number_of "$n_path/mtu")" "$(addresses_json "$n_name")" \
      "$(neighbour_json "$n_name")"
    n_comma=,
  done
}

# What the firmware says, not what it could: true only if it checked the loader of this boot.
secure_boot() {
  i_var=$root/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
  # after four bytes of attributes; read through, because these files cannot be seeked
  [ "$(tail -c +5 "$i_var" 2>/dev/null | od -An -tu1 | tr -d ' ')" = 1 ] && echo true || echo false
}

os_field() { sed -n "s/^$1=//p" "$root/etc/os-release" 2>/dev/null | head -n 1 | sed 's/^["'\'']//; s/["'\'']$//'; }

# Public host keys, which SSHFP records are made of; the discovery image has none.
host_keys_json() {
  k_comma=
  for k_file in "$root"/etc/ssh/ssh_host_*_key.pub; do
    [ -f "$k_file" ] || continue
    printf '%s%s' "$k_comma" "$(text_of "$k_file")"
    k_comma=,
  done
}

inventory_json() {
  i_firmware=bios
  [ -d "$root/sys/firmware/efi" ] && i_firmware=uefi
  i_memory=$(sed -n 's/^MemTotal:[[:space:]]*\([0-9]*\) kB$/\1/p' "$root/proc/meminfo" 2>/dev/null | head -n 1)
  is_number "$i_memory" || i_memory=0
  printf '{"hostname":%s,"machine_id":%s,"firmware":"%s","secure_boot":%s,"memory_bytes":%s,' \
    "$(host_name)" "$(text_of "$root/etc/machine-id")" "$i_firmware" "$(secure_boot)" "$((i_memory * 1024))"
  printf '"dmi":{"vendor":%s,"product":%s,"serial":%s,"uuid":%s,"board":%s,"board_serial":%s,"bios_vendor":%s,"bios_version":%s,"chassis_asset_tag":%s},' \
    "$(dmi sys_vendor)" "$(dmi product_name)" "$(dmi product_serial)" "$(dmi product_uuid)" "$(dmi board_name)" \
    "$(dmi board_serial)" "$(dmi bios_vendor)" "$(dmi bios_version)" "$(dmi chassis_asset_tag)"
  printf '"cpu":{%s},"disks":[%s],"nics":[%s],"bmc":%s,' "$(cpu_json)" "$(disks_json)" "$(nics_json)" "$(bmc_json)"
  printf '"ssh_host_keys":[%s],' "$(host_keys_json)"
  printf '"os":{"id":%s,"version":%s,"kernel":%s,"arch":%s},"agent":{"version":%s}}\n' \
    "$(text "$(os_field ID)")" "$(text "$(os_field VERSION_ID)")" \
    "$(text_of "$root/proc/sys/kernel/osrelease")" "$(text "$(uname -m)")" "$(text "$VERSION")"
}
