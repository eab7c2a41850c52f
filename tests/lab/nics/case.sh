# Runs in a kernel of its own, with two cables to a switch: another network namespace, whose bond speaks LACP.
# Each line that begins with = is an answer that the test reads.
card() { grep -l "^52:54:00:66:00:$1$" /sys/class/net/*/address | cut -d/ -f5; }
far() { ip netns exec switch "$@"; }
is() { echo "= $*"; }
reaches() { # WHAT ADDRESS [BYTES]: as soon as LACP has agreed
  tries=0
  until ping -c 1 -W 1 -s "${3:-56}" "$2" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 40 ] || { is "$1 no"; return; }
  done
  is "$1 yes"
}
devices() { ls /sys/class/net | grep -v '^lo$\|^bonding_masters$' | sed "s/^$one$/one/; s/^$two$/two/; s/^bond[1-9][0-9]*$/BOND/" | sort | paste -s -d ' '; }
value() { cat "/sys/class/net/$1"; }
state() { ip -d addr show | grep -v 'valid_lft\|bond_slave'; ip route; }

one=$(card 01) two=$(card 02) end1=$(card 11) end2=$(card 12)
ip netns add switch
for end in $end1 $end2; do ip link set "$end" netns switch; done
mkdir -p /d/attr /etc/systemd/system
configure() {
  printf '%s\n' "$@" >/d/attr/NETWORK_LINKS
  HOSTWRIGHT_LIB=/lib.sh HOSTWRIGHT_DIR=/d sh /configure >/tmp/said 2>&1 || is "failed $(tail -n 1 /tmp/said)"
}
both=52:54:00:66:00:02,52:54:00:66:00:01

# a card has an address of the network that its bond is to carry, as from DHCP when it was discovered
ip link set "$one" up
ip addr add 10.40.0.77/24 dev "$one"
storage="9 storage $both 802.3ad 30 9000 - 10.30.0.5/24,fd30::5/64 -"
admin="10 admin $both 802.3ad - - - 10.40.0.5/24 10.40.0.1@100"
configure "$storage" "$admin"
is "devices $(devices)"

# only now: the drivers were loaded by what is tested
far ip link add sw type bond mode 802.3ad miimon 100 lacp_rate fast
for end in $end1 $end2; do far ip link set "$end" down && far ip link set "$end" master sw; done
far ip link set sw mtu 9000 up
far ip addr add 10.40.0.1/24 dev sw
for vlan in 30 31 32; do
  far ip link add link sw name sw$vlan type vlan id $vlan
  far ip link set sw$vlan up
  far ip addr add 10.$vlan.0.1/24 dev sw$vlan
done

bond=$(basename "$(readlink "/sys/class/net/$one/master")")
is "mode $(value "$bond/bonding/mode")"
reaches vlan 10.30.0.1
reaches untagged 10.40.0.1
is "mtu $(value vl9/mtu) $(value "$bond/mtu") $(value "$one/mtu") $(value "$two/mtu")"
reaches large 10.30.0.1 8900
is "ports $(value "$bond/bonding/ad_num_ports")"
is "primary $(value "$two/address" | cut -c13-) $(ip route show default)" | sed "s/$bond/BOND/"

state >/tmp/before
/etc/hostwright/network/apply
state >/tmp/after
is "again $(cmp -s /tmp/before /tmp/after && echo same || diff /tmp/before /tmp/after | head -n 3)"

ip link set "$two" down
reaches 'one card' 10.30.0.1
ip link set "$two" up

configure "9 storage $both 802.3ad 31 - - 10.31.0.5/24 -" "11 guests $both 802.3ad 32 - br32 10.32.0.5/24 -" "$admin"
is "devices $(devices)"
reaches 'changed vlan' 10.31.0.1
reaches bridge 10.32.0.1

configure "$(echo "$admin" | sed 's/802.3ad/active-backup/')"
is "devices $(devices)"
is "mode $(value "$bond/bonding/mode")"

configure ''
is "devices $(devices)"
is "cards $(value "$one/address" | cut -c13-) $(value "$two/address" | cut -c13-)"
