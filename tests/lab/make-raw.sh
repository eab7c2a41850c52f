#!/bin/bash
# Makes a whole disk out of the lab's small system: make-raw.sh IMAGE.tar.gz IMAGE.raw.zst
# One partition, GRUB in the gap before it, as a cloud image for BIOS has it. No loop device is needed:
# boot.img finds core.img in the sector after it, and core.img knows its own length.
set -euo pipefail
export LC_ALL=C
tar=$1 out=$2
uuid=7a3d0c1e-0000-4000-8000-0000000000aa
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/root"
tar -C "$work/root" -xf "$tar"
sed "s/@ROOT@/$uuid/" "$work/root/boot/grub/grub.cfg.in" >"$work/root/boot/grub/grub.cfg"
mke2fs -q -F -t ext4 -U "$uuid" -L root -d "$work/root" "$work/part" 384M
grub-mkimage -O i386-pc -p '(hd0,msdos1)/boot/grub' -o "$work/core.img" \
  biosdisk part_msdos ext2 normal linux search search_fs_uuid serial terminal configfile boot
truncate -s 400M "$work/disk"
printf 'label: dos\nstart=2048, type=83, bootable\n' | sfdisk -q "$work/disk"
dd if="$work/part" of="$work/disk" bs=1M seek=1 conv=notrunc,sparse status=none
dd if=/usr/lib/grub/i386-pc/boot.img of="$work/disk" bs=440 count=1 conv=notrunc status=none
dd if="$work/core.img" of="$work/disk" bs=512 seek=1 conv=notrunc status=none
mkdir -p "$(dirname "$out")"
zstd -q -3 -f "$work/disk" -o "$out"
