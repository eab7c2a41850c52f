#!/bin/bash
# Makes a whole disk out of the lab's small system: make-raw.sh IMAGE.tar.gz IMAGE.raw.zst [signed]
# As a cloud image for BIOS has it: one partition, GRUB in the gap before it. Or, signed, as one for UEFI
# has it: Debian's shim and GRUB on an ESP, in Debian's folder and in that of removable media. No loop
# device is needed: boot.img finds core.img in the sector after it, and core.img knows its own length.
set -euo pipefail
export LC_ALL=C
tar=$1 out=$2 kind=${3:-bios}
uuid=7a3d0c1e-0000-4000-8000-0000000000aa
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/root"
tar -C "$work/root" -xf "$tar"
sed "s/@ROOT@/$uuid/" "$work/root/boot/grub/grub.cfg.in" >"$work/root/boot/grub/grub.cfg"
mke2fs -q -F -t ext4 -U "$uuid" -L root -d "$work/root" "$work/part" 384M
put() { dd if="$1" of="$work/disk" bs="$2" seek="$3" conv=notrunc,sparse status=none; }

bios_disk() {
  grub-mkimage -O i386-pc -p '(hd0,msdos1)/boot/grub' -o "$work/core.img" \
    biosdisk part_msdos ext2 normal linux search search_fs_uuid serial terminal configfile boot
  truncate -s 400M "$work/disk"
  printf 'label: dos\nstart=2048, type=83, bootable\n' | sfdisk -q "$work/disk"
  put "$work/part" 1M 1
  dd if=/usr/lib/grub/i386-pc/boot.img of="$work/disk" bs=440 count=1 conv=notrunc status=none
  put "$work/core.img" 512 1
}

signed_disk() {
  printf 'search.fs_uuid %s root\nset prefix=($root)/boot/grub\nconfigfile $prefix/grub.cfg\n' "$uuid" >"$work/grub.cfg"
  mkfs.vfat -C -n ESP "$work/esp" $((32 * 1024)) >/dev/null
  mmd -i "$work/esp" ::EFI ::EFI/debian ::EFI/BOOT
  for loader in debian/shimx64.efi BOOT/BOOTX64.EFI; do
    mcopy -i "$work/esp" /usr/lib/shim/shimx64.efi.signed "::EFI/$loader"
    mcopy -i "$work/esp" /usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed "::EFI/${loader%/*}/grubx64.efi"
  done
  mcopy -i "$work/esp" "$work/grub.cfg" ::EFI/debian/grub.cfg
  truncate -s 440M "$work/disk"
  printf 'label: gpt\nstart=1MiB, size=32MiB, type=U\nstart=33MiB, size=384MiB, type=L\n' | sfdisk -q "$work/disk"
  put "$work/esp" 1M 1
  put "$work/part" 1M 33
}

"${kind}_disk"
mkdir -p "$(dirname "$out")"
zstd -q -3 -f "$work/disk" -o "$out"
