# Which switch port a card is plugged into, by LLDP. The discovery image listens and keeps one frame
# per card (discovery-image/listen-lldp); an installed system may run lldpd. A frame is a stranger's
# text: every field becomes a JSON string of at most 255 bytes.

neighbours=$root/run/hostwright/lldp

neighbours_mark() { ls -ln "$neighbours" 2>/dev/null | md5sum; }

# The bytes of one field as decimal numbers; addresses as text. The file is pcap with one packet:
# 24 + 16 bytes of headers, 14 of Ethernet, then the TLVs.
frame_field() { # FILE FIELD
  head -c 1700 "$1" 2>/dev/null | tail -c +55 | od -An -v -tu1 | awk -v wanted="$2" '
    function bytes(from, to,   i, out) { for (i = from; i <= to; i++) out = out b[i] " "; return out }
    function word(value,   i, out) { for (i = 1; i <= length(value); i++) out = out index(ascii, substr(value, i, 1)) + 31 " "; return out }
    function mac(from,   i, out) { for (i = 0; i < 6; i++) out = out (i ? ":" : "") sprintf("%02x", b[from + i]); return word(out) }
    function ipv4(from) { return word(b[from] "." b[from + 1] "." b[from + 2] "." b[from + 3]) }
    function name(from, to) {
      # subtype, then the value
      if (type == 1 && b[from] == 4 || type == 2 && b[from] == 3) return to - from == 6 ? mac(from + 1) : ""
      if (b[from + 1] == 1 && to - from == 5 && (type == 1 && b[from] == 5 || type == 2 && b[from] == 4)) return ipv4(from + 2)
      return bytes(from + 1, to)
    }
    BEGIN { for (i = 32; i < 127; i++) ascii = ascii sprintf("%c", i) }
    { for (i = 1; i <= NF; i++) b[++n] = $i + 0 }
    END {
      for (at = 1; at + 1 <= n; at = last + 1) {
        type = int(b[at] / 2); size = (b[at] % 2) * 256 + b[at + 1]
        from = at + 2; last = from + size - 1
        # a TLV that claims more than came, or the end
        if (type == 0 || last > n) break
        if (size > 255) continue
        out = ""
        if (type == 1 && wanted == "chassis" || type == 2 && wanted == "port") out = name(from, last)
        else if (type == 4 && wanted == "port_description") out = bytes(from, last)
        else if (type == 5 && wanted == "system") out = bytes(from, last)
        else if (type == 8 && wanted == "address" && b[from] == 5 && b[from + 1] == 1 && size >= 6) out = ipv4(from + 2)
        else if (type == 127 && wanted == "vlan" && size == 6 && b[from] == 0 && b[from + 1] == 128 && b[from + 2] == 194 && b[from + 3] == 1)
          out = word(b[from + 4] * 256 + b[from + 5] "")
        if (out != "") { print out; exit }
      }
    }'
}

daemon_field() { # CARD FIELD; what lldpcli said on stdin
  case $2 in
    chassis) d_key='chassis\.\(mac\|ifname\|local\|ip\)' ;;
    port) d_key='port\.\(ifname\|local\|mac\)' ;;
    port_description) d_key='port\.descr' ;;
    system) d_key='chassis\.name' ;;
    address) d_key='chassis\.mgmt-ip' ;;
    vlan) d_key='vlan\.vlan-id' ;;
  esac
  sed -n "s/^lldp\.$1\.$d_key=//; t found; d; :found; s/^\(.\{0,255\}\).*/\1/p; q" | tr -d '\n' | od -An -v -tu1
}

neighbour_json() { # CARD
  case $1 in '' | *[!A-Za-z0-9_-]*) echo null; return ;; esac
  if [ -s "$neighbours/$1" ]; then
    n_from=frame
  elif [ -z "$root" ] && command -v lldpcli >/dev/null 2>&1 &&
    n_said=$(within 5 lldpcli -f keyvalue show neighbors ports "$1" 2>/dev/null </dev/null) && [ -n "$n_said" ]; then
    n_from=daemon
  else
    echo null
    return
  fi
  n_sign='{'
  for n_field in chassis port port_description system address vlan; do
    case $n_from in
      frame) n_bytes=$(frame_field "$neighbours/$1" $n_field) ;;
      daemon) n_bytes=$(printf '%s\n' "$n_said" | daemon_field "$1" $n_field) ;;
    esac
    if [ -n "$n_bytes" ]; then n_value=$(echo "$n_bytes" | json_bytes); else n_value=null; fi
    printf '%s"%s":%s' "$n_sign" $n_field "$n_value"
    n_sign=,
  done
  printf '}'
}
