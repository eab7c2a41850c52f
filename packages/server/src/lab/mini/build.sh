#!/bin/bash
# A very small operating system as an image, to install in a lab: busybox, Debian's kernel, curl, GRUB.
#   build.sh FILE.tar.gz [PART]...
# PART: efi (GRUB for UEFI), signed (that, and Debian's signed shim and GRUB), lvm, raid (its initramfs finds such a root). Real enough to be written,
# booted by its own boot loader and to run the agent; made in seconds.
set -euo pipefail
export LC_ALL=C
out=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
has() { case " $parts " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }
parts=$*
kernel=$(cd /boot && ls -1 vmlinuz-*-amd64 | grep -v cloud | sort -V | tail -n 1 | sed 's/^vmlinuz-//')
root=$(mktemp -d) && chmod 755 "$root"
early=$(mktemp -d)
trap 'rm -rf "$root" "$early"' EXIT
mkdir -p "$root"/{bin,sbin,etc,proc,sys,dev,tmp,run,root,var/lib,var/log,mnt,usr/bin,usr/sbin,usr/lib,boot/grub,usr/share/udhcpc,lib64}
install -m 755 /bin/busybox "$root/bin/busybox"
/bin/busybox --list | while read -r name; do [ "$name" = busybox ] || ln -s busybox "$root/bin/$name"; done
copy_program() { # ROOT NAME
  local path
  path=$(readlink -f "$(command -v "$2")")
  install -D -m 755 "$path" "$1/usr/sbin/$2"
  { ldd "$path" 2>/dev/null || true; } | grep -o '/[^ ]*' | sort -u | while read -r library; do install -D -m 755 "$(readlink -f "$library")" "$1$library"; done
}
for program in curl grub-install grub-mkimage grub-probe modprobe; do copy_program "$root" $program; done
mkdir -p "$root/usr/lib/grub"
cp -r /usr/lib/grub/i386-pc "$root/usr/lib/grub/"
if has efi || has signed; then cp -r /usr/lib/grub/x86_64-efi "$root/usr/lib/grub/"; fi
if has signed; then
  install -D -m 644 {,"$root"}/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed
  for loader in shim mm fb; do install -D -m 644 {,"$root"}/usr/lib/shim/${loader}x64.efi.signed; done
  # as an image that was made by installing on a disk has it: what is on the ESP tells of that disk
  install -D -m 644 <(printf 'search.fs_uuid 00000000-dead-4000-8000-000000000000 root\nconfigfile ($root)/boot/grub/grub.cfg\n') "$root/boot/efi/EFI/debian/grub.cfg"
fi
install -m 644 "/boot/vmlinuz-$kernel" "$root/boot/vmlinuz"
modules() { for name in "$@"; do modprobe -S "$kernel" --show-depends "$name" 2>/dev/null | awk '$1 == "insmod" { print $2 }'; done | awk '!seen[$0]++'; }
for module in $(modules virtio_pci virtio_net virtio_blk virtio_rng af_packet efivarfs crc32c_generic ext4); do install -D -m 644 "$module" "$root$module"; done
install -m 644 /lib/modules/"$kernel"/modules.{order,builtin,builtin.modinfo} "$root/lib/modules/$kernel/"
depmod -b "$root" "$kernel"
mkdir -p "$early"/{bin,proc,sys,dev,mnt,lib,run,etc,usr/sbin}
install -m 755 /bin/busybox "$early/bin/busybox"
drivers='virtio_pci virtio_blk virtio_scsi sd_mod crc32c_generic ext4'
if has lvm; then
  drivers="$drivers dm_mod"
  copy_program "$early" lvm
  copy_program "$root" lvm
  # GRUB asks these which disks a volume lies on
  for name in vgs pvs lvs; do ln -s lvm "$root/usr/sbin/$name"; done
fi
if has raid; then
  drivers="$drivers raid1"
  copy_program "$early" mdadm
  # GRUB asks it for the name of a mirror
  copy_program "$root" mdadm
fi
for module in $(modules $drivers); do install -D -m 644 "$module" "$early/modules/$(basename "$module")"; basename "$module" >>"$early/modules/order"; done
install -m 755 "$here/early-init" "$early/init"
(cd "$early" && find . | cpio -o -H newc --quiet | gzip -1 -n) >"$root/boot/initrd.img"
install -m 755 "$here/init" "$root/sbin/init.sh"
rm -f "$root/sbin/init"; ln -s init.sh "$root/sbin/init"
install -m 755 "$here/../../../../agent/discovery-image/udhcpc.script" "$root/usr/share/udhcpc/default.script"
install -m 644 "$here/grub.cfg.in" "$root/boot/grub/grub.cfg.in"
printf 'root:x:0:0:root:/root:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\n' >"$root/etc/group"
printf 'ID=mini\nVERSION_ID="1"\nNAME=mini\n' >"$root/etc/os-release"
mkdir -p "$(dirname "$out")"
tar -C "$root" --owner=0 --group=0 --sort=name --mtime=@1700000000 -cf - . | gzip -1 -n >"$out"
