#!/bin/bash
# A machine for what needs a whole kernel: Debian's, with dash, iproute2 and the drivers of bonds, VLANs and
# bridges, in memory only. build.sh FILES INITRD: what is in the folder FILES lies in / there, /case is run.
set -euo pipefail
export LC_ALL=C
files=$1 out=$2
kernel=$(cd /boot && ls -1 vmlinuz-*-amd64 | grep -v cloud | sort -V | tail -n 1 | sed 's/^vmlinuz-//')
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,sbin,etc,proc,sys,dev,tmp,run}
install -m 755 /bin/busybox "$root/bin/busybox"
/bin/busybox --list | while read -r name; do [ "$name" = busybox ] || ln -s busybox "$root/bin/$name"; done
# come before busybox's, whose shell would take its own programs all the same
for program in dash ip modprobe cksum; do
  path=$(readlink -f "$(command -v $program)")
  install -m 755 "$path" "$root/sbin/$program"
  ldd "$path" | grep -o '/[^ ]*' | sort -u | while read -r library; do install -D -m 755 "$(readlink -f "$library")" "$root$library"; done
done
ln -sf /sbin/dash "$root/bin/sh"
for name in e1000 af_packet bonding 8021q bridge; do
  modprobe -S "$kernel" --show-depends $name | awk '$1 == "insmod" { print $2 }'
done | sort -u | while read -r module; do install -D -m 644 "$module" "$root$module"; done
install -m 644 /lib/modules/"$kernel"/modules.{order,builtin,builtin.modinfo} "$root/lib/modules/$kernel/"
depmod -b "$root" "$kernel"
cp -r "$files/." "$root/"
cat >"$root/init" <<'INIT'
#!/bin/sh
export PATH=/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
modprobe -a e1000 af_packet
ip link set lo up
sh /case 2>&1
poweroff -f
INIT
chmod 755 "$root/init"
(cd "$root" && find . | cpio -o -H newc --quiet | gzip -1 -n) >"$out"
echo "/boot/vmlinuz-$kernel"
