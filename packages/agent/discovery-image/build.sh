#!/bin/bash
# Builds the discovery image from what Debian's packages have put on this machine:
#   build.sh FOLDER AGENT [KERNEL]
# FOLDER gets vmlinuz, initrd.img, PACKAGES and SHA256SUMS. Needs busybox-static, linux-image-amd64, kmod,
# cpio, zstd, curl; what else it takes along is in `optional` below, and what was missing is said at the
# end. The same packages give the same bytes: times, owners, order and compression are fixed, nothing of
# this machine's configuration is copied, and PACKAGES names the versions that went in.
set -euo pipefail
export LC_ALL=C
umask 022
[ $# -ge 2 ] || { echo "usage: $0 FOLDER AGENT [KERNEL]" >&2; exit 2; }
out=$1 agent=$2
here=$(cd "$(dirname "$0")" && pwd)
kernel=${3:-$(cd /boot && ls -1 vmlinuz-*-amd64 | grep -v cloud | sort -V | tail -n 1 | sed 's/^vmlinuz-//')}
[ -f "/boot/vmlinuz-$kernel" ] || { echo "no kernel $kernel in /boot" >&2; exit 1; }
[ -x /bin/busybox ] && ! ldd /bin/busybox >/dev/null 2>&1 || { echo 'busybox-static is needed' >&2; exit 1; }
root=$(mktemp -d) && chmod 755 "$root"
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,sbin,etc/hostwright,proc,sys,dev,tmp,mnt,run,root,var/lib,usr/bin,usr/sbin,usr/lib/hostwright,usr/share/udhcpc,lib}
for folder in lib64; do mkdir -p "$root/$folder"; done

install -m 755 /bin/busybox "$root/bin/busybox"
# links made here, not at boot: forking 300 times costs a slow machine half a second
/bin/busybox --list | while read -r name; do [ "$name" = busybox ] || ln -s busybox "$root/bin/$name"; done

copy_program() {
  local path
  path=$(command -v "$1" || true)
  [ -n "$path" ] || return 0
  path=$(readlink -f "$path")
  install -D -m 755 "$path" "$root/usr/sbin/$1"
  { ldd "$path" 2>/dev/null || true; } | grep -o '/[^ ]*' | sort -u | while read -r library; do
    install -D -m 755 "$(readlink -f "$library")" "$root$library"
  done
}
for program in curl modprobe; do
  command -v "$program" >/dev/null || { echo "$program is needed" >&2; exit 1; }
  copy_program "$program"
done
# PROGRAM:PACKAGE - disks and file systems, then what the inventory, the rescue shell and the writer of
# images need
optional='sfdisk:fdisk mke2fs:e2fsprogs resize2fs:e2fsprogs e2fsck:e2fsprogs mkfs.vfat:dosfstools mdadm:mdadm lvm:lvm2
  wipefs:util-linux blkid:util-linux zstd:zstd tcpdump:tcpdump ethtool:ethtool ipmitool:ipmitool
  dropbear:dropbear-bin dropbearkey:dropbear-bin sha256sum:coreutils
  tee:coreutils tar:tar efibootmgr:efibootmgr'
without=
for pair in $optional; do
  if command -v "${pair%:*}" >/dev/null; then copy_program "${pair%:*}"; else without="$without ${pair#*:}"; fi
done
# resolving names needs these, and ldd does not know
for library in libnss_dns.so.2 libnss_files.so.2 libresolv.so.2; do
  [ -f "/lib/x86_64-linux-gnu/$library" ] && install -D -m 755 "/lib/x86_64-linux-gnu/$library" "$root/lib/x86_64-linux-gnu/$library"
done
# the package's own, not this machine's
[ -f /usr/share/e2fsprogs/mke2fs.conf ] && install -m 644 /usr/share/e2fsprogs/mke2fs.conf "$root/etc/mke2fs.conf"

# drivers of real machines: NICs, disks, BMCs, consoles, file systems - and what they need
modules=/lib/modules/$kernel
wanted='^kernel/((arch/x86/)?crypto/(crc32c|crc32|crct10dif)[-_a-z]*\.ko|lib/(crc|libcrc)[-_a-z0-9]*\.ko|drivers/net/(ethernet|phy|mdio|bonding|hyperv|vmxnet3)/|drivers/net/(virtio_net|net_failover|mii|mdio)\.ko|net/core/failover|drivers/virtio/|drivers/(ata|nvme|scsi|md|message/fusion|block)/|drivers/usb/(host|storage|common|core)/|drivers/hid/(hid|hid-generic|usbhid/[a-z]*)\.ko|drivers/hv/|drivers/char/(ipmi|hw_random)/|net/packet/|net/8021q/|fs/(ext4|jbd2|xfs|fat|nls|efivarfs|isofs)/|drivers/cdrom/|drivers/i2c/algos/)'
unwanted='/(floppy|drbd|zram|nbd|rbd|rnbd|null_blk|iscsi|libfc|fcoe|qedf|qedi|bnx2fc|bnx2i|cxgbi|csiostor|lpfc|osd|scsi_debug|dm-raid|dm-vdo|dm-cache|dm-thin|dm-era|dm-writecache|dm-integrity|dm-verity|infiniband)'
# modules.dep names what each module needs, all the way down
awk -v wanted="$wanted" -v unwanted="$unwanted" '{
  name = $1; sub(/:$/, "", name)
  if (name ~ wanted && name !~ unwanted) { print name; for (i = 2; i <= NF; i++) print $i }
}' "$modules/modules.dep" | sort -u >"$root/.modules"
mkdir -p "$root$modules"
tar -C "$modules" -cf - -T "$root/.modules" | tar -C "$root$modules" -xf -
rm "$root/.modules"
# a rack whose card or controller has no driver is found out here, not in the rack
absent=
for driver in $(sed 's/#.*//' "$here/drivers"); do
  [ -n "$(find "$root$modules" -name "$driver.ko" -print -quit)" ] || grep -q "/$driver\.ko$" "$modules/modules.builtin" || absent="$absent $driver"
done
[ -z "$absent" ] || { echo "kernel $kernel has no driver$absent" >&2; exit 1; }
# firmware that these drivers name, as far as firmware-* packages have put it here
find "$root$modules" -name '*.ko' -print0 | sort -z | xargs -0 -n 100 modinfo -F firmware | sort -u >"$root/.firmware"
firmware=0
while read -r name; do
  for file in "/lib/firmware/$name" "/lib/firmware/$name.xz"; do
    [ -f "$file" ] && { install -D -m 644 "$(readlink -f "$file")" "$root$file"; firmware=$((firmware + 1)); }
  done || true
done <"$root/.firmware"
rm "$root/.firmware"
# each module by itself: only what is loaded is unpacked
find "$root$modules" -name '*.ko' -print0 | sort -z | xargs -0 -n 40 -P 2 zstd -q -10 --rm
install -m 644 "$modules"/modules.{order,builtin,builtin.modinfo} "$root$modules/"
depmod -b "$root" "$kernel"
rm -f "$root$modules"/modules.{symbols,devname,softdep}

# a controller is ready when its disks are: else the inventory may be told before they are found
mkdir -p "$root/etc/modprobe.d"
echo 'options scsi_mod scan=sync' >"$root/etc/modprobe.d/hostwright.conf"

install -m 755 "$here/init" "$root/init"
install -m 755 "$here/udhcpc.script" "$root/usr/share/udhcpc/default.script"
install -m 755 "$here/load-drivers" "$root/usr/lib/hostwright/load-drivers"
install -m 755 "$here/listen-lldp" "$root/usr/lib/hostwright/listen-lldp"
install -m 755 "$here/rescue" "$root/usr/lib/hostwright/rescue"
install -m 644 "$agent" "$root/usr/lib/hostwright/agent"
printf 'root:x:0:0:root:/root:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
printf '/bin/sh\n' >"$root/etc/shells"

mkdir -p "$out"
find "$root" -exec touch -h -d @1700000000 {} +
(cd "$root" && find . -mindepth 1 -print0 | sort -z | cpio --null -o -H newc --owner=0:0 --reproducible --quiet) | zstd -q -10 -T1 >"$out/initrd.img.new"
# the EFI stub joins initrds without padding: the length must be a multiple of 4
size=$(stat -c %s "$out/initrd.img.new"); truncate -s $(((size + 511) / 512 * 512)) "$out/initrd.img.new"
install -m 644 "/boot/vmlinuz-$kernel" "$out/vmlinuz.new"
mv "$out/initrd.img.new" "$out/initrd.img"
mv "$out/vmlinuz.new" "$out/vmlinuz"
# what it was made of: who wants the same bytes installs the same versions
dpkg-query -W -f '${Package} ${Version}\n' "linux-image-$kernel" busybox-static kmod cpio zstd curl gzip libc6 \
  $(for pair in $optional; do echo "${pair#*:}"; done | sort -u) 2>/dev/null | sort -u >"$out/PACKAGES"
(cd "$out" && sha256sum vmlinuz initrd.img PACKAGES >SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS)
echo "kernel $kernel, initrd $(stat -c %s "$out/initrd.img") bytes, $(find "$root$modules" -name '*.ko.zst' | wc -l) drivers, $firmware firmware files${without:+; not here, so left out:$without}"
