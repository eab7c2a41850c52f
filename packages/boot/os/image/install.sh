#!/bin/sh
# Writes an image to the disk of the plan, from the discovery environment. Runs once per consent: the
# server gives leave to erase once per run, and only for the disk that the plan names. All values come
# from the server's checked plan; none is ever evaluated.
set -u
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
seed() { sed -n "s/^$1=//p" /etc/hostwright/seed | head -n 1; }
base=$(seed url)/boot/v1/install/$(seed install)
ask() { curl -q -fsS --cacert /etc/hostwright/ca.pem --retry 8 --retry-all-errors --retry-delay 1 --connect-timeout 10 --max-time "$1" "$2" ${3:+--data-binary "$3"}; }
say() { echo "hostwright: $*"; ask 20 "$base/log" "$*" >/dev/null 2>&1; }
stop() {
  say "stopped: $*"
  ask 60 "$base/failed" "reason=$*" >/dev/null
  sync
  sleep 2
  reboot -f
  exit 1
}
ask 60 "$base/plan" >/run/plan || stop 'the plan cannot be read'
plan() { sed -n "s/^$1=//p" /run/plan | head -n 1; }

# The disk is found by its serial; a disk that has become another one is not touched.
find_disk() { # SERIAL BYTES
  for path in /sys/block/*; do
    [ "$(($(cat "$path/size" 2>/dev/null || echo 0) * 512))" = "$2" ] || continue
    for file in "$path/device/serial" "$path/serial" "$path/device/vpd_pg80" "$path/wwid" "$path/device/wwid"; do
      [ -r "$file" ] || continue
      # vpd_pg80 begins with four bytes of binary
      skip=1
      [ "${file##*/}" = vpd_pg80 ] && skip=5
      found=$(tail -c +$skip "$file" 2>/dev/null | tr -d '\000' | head -n 1 | sed 's/^[[:space:]]*//; s/[[:space:]]*$//' | tr -c 'A-Za-z0-9._\n-' '_')
      [ "$found" = "$1" ] && { echo "${path##*/}"; return 0; }
    done
    [ -z "$1" ] && { echo "${path##*/}"; return 0; }
  done
  return 1
}
disk=$(find_disk "$(plan disk_serial)" "$(plan disk_bytes)") || stop "there is no disk with serial $(plan disk_serial) and $(plan disk_bytes) bytes"
layout=$(plan layout)
second=
if [ "$layout" = raid1 ]; then
  second=$(find_disk "$(plan disk2_serial)" "$(plan disk2_bytes)") || stop 'the second disk is not there'
fi
ask 60 "$base/image.sh" >/run/image.sh && ask 60 "$base/loader.sh" >/run/loader.sh || stop 'the writer of images cannot be fetched'
. /run/image.sh
. /run/loader.sh
# An image that is not the one of the plan is found out while the disk is still whole.
# Without TLS, as everything else that the boot network serves to anybody: what arrives must have the
# checksum of the plan, which came with TLS, and summing and decrypting it would be twice the work.
image=$(plan image_url)
offered=$(curl -q -sS --cacert /etc/hostwright/ca.pem --connect-timeout 10 --max-time 300 -I "$image" 2>&1) || stop "the image cannot be fetched: $offered"
case $offered in
  *" 200"*"$(plan image_sha256)"*) ;;
  *" 200"*) stop 'the image that is served is not the one of the plan (checksum); no disk was touched' ;;
  *) stop "the image is not served ($(echo "$offered" | tr -d '\r' | head -n 1)): is its checksum wrong? No disk was touched" ;;
esac
claim="serial=$(plan disk_serial)&bytes=$(plan disk_bytes)"
[ -n "$second" ] && claim="$claim&serial2=$(plan disk2_serial)&bytes2=$(plan disk2_bytes)"
answer=$(ask 60 "$base/wipe" "$claim") || stop 'no leave to erase the disk'
[ "$answer" = granted ] || stop 'no leave to erase the disk'

part() { case $1 in *[0-9]) echo "/dev/$1p$2" ;; *) echo "/dev/$1$2" ;; esac; }
efi=
[ -d /sys/firmware/efi ] && efi=yes
# A layout of ours, for an image of files.
lay_out() {
  for one in $disk $second; do
    say "partitioning $one ($layout)"
    dd if=/dev/zero of="/dev/$one" bs=1M count=4 conv=notrunc 2>/dev/null || stop "writing to $one failed"
    if [ -n "$efi" ]; then
      printf 'label: gpt\nsize=200MiB, type=C12A7328-F81F-11D2-BA4B-00A0C93EC93B\ntype=0FC63DAF-8483-4772-8E79-3D69D8477DE4\n'
    else
      printf 'label: dos\nstart=2048, type=83, bootable\n'
    fi | /usr/sbin/sfdisk -q --wipe always "/dev/$one" || stop "partitioning $one failed"
  done
  number=1
  [ -n "$efi" ] && number=2
  tries=0
  while [ ! -b "$(part "$disk" $number)" ] && [ $tries -lt 50 ]; do usleep 100000; tries=$((tries + 1)); done
  # marks of an earlier mirror or volume lie inside the partition, some at its end
  for one in $disk $second; do /usr/sbin/wipefs -aq "$(part "$one" $number)" || stop "the old marks on $one cannot be removed"; done
  root=$(part "$disk" $number)
  case $layout in
    raid1)
      /usr/sbin/modprobe -qa raid1 md_mod
      /usr/sbin/mdadm --create /dev/md0 --run --level=1 --metadata=1.0 --raid-devices=2 "$(part "$disk" $number)" "$(part "$second" $number)" || stop 'the mirror cannot be made'
      root=/dev/md0
      ;;
    lvm)
      /usr/sbin/modprobe -qa dm_mod
      # there is no udev here: LVM makes its nodes itself
      volumes() { /usr/sbin/lvm "$@" --config 'activation { udev_sync=0 udev_rules=0 }' >/dev/null 2>>/run/lvm.err; }
      volumes pvcreate -ffy "$root" && volumes vgcreate system "$root" && volumes lvcreate -y -l 100%FREE -n root system || stop "the volume group cannot be made: $(grep -v leaked /run/lvm.err | tail -n 1)"
      volumes vgmknodes
      root=/dev/system/root
      [ -b $root ] || root=/dev/mapper/system-root
      ;;
  esac
  /usr/sbin/mke2fs -q -F -t ext4 -L root -E lazy_itable_init=1,nodiscard "$root" || stop 'the file system cannot be made'
  /usr/sbin/modprobe -q ext4
  mount -t ext4 "$root" /mnt || stop 'the file system cannot be mounted'
  if [ -n "$efi" ]; then
    # no kernel helper loads what a mount lacks here
    /usr/sbin/modprobe -qa vfat nls_cp437 nls_ascii
    /usr/sbin/mkfs.vfat -n ESP "$(part "$disk" 1)" >/dev/null || stop 'the ESP cannot be made'
    mkdir -p /mnt/boot/efi && mount -t vfat "$(part "$disk" 1)" /mnt/boot/efi || stop 'the ESP cannot be mounted'
  fi
}

unpack_tar() {
  say "writing $(plan image_path)"
  # the rest of what comes is read too: its checksum is of the whole
  arrive | { untar /mnt 2>/run/tar.err && cat >/dev/null; }
  unpacked=$?
  if [ $unpacked -ne 0 ]; then
    free=$(df -k /mnt | awk 'END { print $4 }')
    grep -q 'No space left' /run/tar.err || [ "${free:-0}" -lt 64 ] && stop "the disk is full: $(plan image_path) does not fit on $disk"
  fi
  check_arrived
  [ $unpacked -eq 0 ] || stop "the image cannot be unpacked: $(cat /run/unpack.err /run/tar.err | head -n 1)"
}

format=$(plan image_format)
case $format in
  raw) write_raw ;;
  *)
    lay_out
    unpack_tar
    sync
    ;;
esac

say 'configuring'
uuid=$(/usr/sbin/blkid -s UUID -o value "$root")
# a raw image knows its own partitions, and starts by its own loader
[ "$format" = raw ] || echo "UUID=$uuid / ext4 defaults 0 1" >/mnt/etc/fstab
[ "$format" != raw ] && [ -n "$efi" ] && echo "UUID=$(/usr/sbin/blkid -s UUID -o value "$(part "$disk" 1)") /boot/efi vfat umask=0077 0 1" >>/mnt/etc/fstab
plan hostname >/mnt/etc/hostname
domain=$(plan domain)
printf '127.0.0.1 localhost\n127.0.1.1 %s %s\n' "$(plan hostname)${domain:+.$domain}" "$(plan hostname)" >/mnt/etc/hosts
user=$(plan user)
home=/mnt/root
if [ "$user" != root ]; then
  chroot /mnt id "$user" >/dev/null 2>&1 || chroot /mnt useradd -m -s /bin/bash "$user" || stop "user $user cannot be made"
  home=/mnt/home/$user
fi
ask 60 "$base/keys" >/run/keys || stop 'the keys cannot be read'
if [ -s /run/keys ]; then
  mkdir -p "$home/.ssh" && chmod 700 "$home/.ssh" && cp /run/keys "$home/.ssh/authorized_keys" && chmod 600 "$home/.ssh/authorized_keys"
  [ "$user" = root ] || chroot /mnt chown -R "$user" "/home/$user/.ssh"
fi
hash=$(plan password_hash)
[ -n "$hash" ] && [ -e /mnt/etc/shadow ] && { printf '%s:%s\n' "$user" "$hash" >/run/shadow.in; chroot /mnt chpasswd -e </run/shadow.in; rm -f /run/shadow.in; }
# cloud images take what is here as their instance's data
mkdir -p /mnt/var/lib/cloud/seed/nocloud
printf 'instance-id: hostwright-%s\nlocal-hostname: %s\n' "$(plan os)" "$(plan hostname)" >/mnt/var/lib/cloud/seed/nocloud/meta-data
printf '#cloud-config\npreserve_hostname: true\ndisable_root: %s\n' "$([ "$user" = root ] && echo false || echo true)" >/mnt/var/lib/cloud/seed/nocloud/user-data

# the agent, and what its first start needs: used once, by this machine only
state=/mnt/var/lib/hostwright-agent
mkdir -p $state && chmod 700 $state
ask 60 "$base/agent" >$state/agent && ask 60 "$base/firstboot" >$state/firstboot && chmod 600 $state/firstboot || stop 'the agent cannot be put in place'
cp /etc/hostwright/ca.pem $state/ca.pem
ask 60 "$base/first-boot.sh" >$state/first-boot.sh || stop 'the first start cannot be prepared'
if [ -d /mnt/etc/systemd/system ]; then
  ask 60 "$base/agent.service" >/mnt/etc/systemd/system/hostwright-agent.service || stop 'the service cannot be put in place'
  mkdir -p /mnt/etc/systemd/system/multi-user.target.wants
  ln -sf ../hostwright-agent.service /mnt/etc/systemd/system/multi-user.target.wants/hostwright-agent.service
fi

[ "$format" = raw ] || install_loader
umount /mnt || stop 'the file system cannot be unmounted'
sync
if [ -n "$efi" ] && ask 60 "$base/boot-order.sh" >/run/boot-order.sh; then
  . /run/boot-order.sh
  if [ "$format" = raw ]; then
    # a whole disk has an ESP of its own
    /usr/sbin/modprobe -qa vfat nls_cp437 nls_ascii
    mkdir -p /run/esp && mount -t vfat "$(part "$disk" "$(esp_of "/dev/$disk")")" /run/esp && { mark_esp /run/esp; umount /run/esp; }
  fi
  set --
  for one in $disk $second; do set -- "$@" "/dev/$one" "$(esp_of "/dev/$one")"; done
  { enter_disks "$@"; network_first; } >/run/boot-order.log
  while read -r line; do say "$line"; done </run/boot-order.log
fi
# the server makes the machine boot from its disk before it answers: only then may it restart
ask 120 "$base/finished" x >/dev/null || stop 'the server did not take the end of the installation'
echo 'hostwright: installed'
