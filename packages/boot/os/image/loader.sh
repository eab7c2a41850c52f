# Sourced by install.sh: makes the disk start the system that was unpacked. Uses its say, stop and part,
# and $base, $disk, $second, $efi, $uuid.
esp=/mnt/boot/efi

# What the firmware says, after four bytes of attributes; read through, because these files cannot be seeked.
secure_boot() { [ "$(tail -c +5 /sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c 2>/dev/null | od -An -tu1 | tr -d ' ')" = 1 ]; }

# Whether a program for UEFI carries a signature: its header tells the size of the certificates. Whose
# it is only the firmware and shim can judge.
number_at() { od -An -tu4 -j"$2" -N4 "$1" 2>/dev/null | tr -d ' '; }
is_signed() {
  header=$(number_at "$1" 60)
  [ "${#header}" -gt 0 ] && [ "${#header}" -lt 8 ] || return 1
  # PE, and nothing else
  [ "$(number_at "$1" "$header")" = 17744 ] && [ "$(number_at "$1" $((header + 172)))" -gt 0 ]
}

# What firmware would refuse is told here, not found out by waiting for a machine that never starts.
check_signed() {
  is_signed $esp/EFI/BOOT/BOOTX64.EFI || stop 'Secure Boot is on, and the boot loader of the image is not signed (Debian and Ubuntu: shim-signed and grub-efi-amd64-signed)'
  for kernel in /mnt/boot/vmlinuz*; do is_signed "$kernel" && return 0; done
  [ ! -e "$kernel" ] || stop 'Secure Boot is on, and no kernel of the image is signed'
}

# Signed GRUB reads the configuration in its distribution's folder before the one beside it. One that
# came with the image tells of the disk that the image was made on.
mend_configurations() {
  [ -e $esp/EFI/BOOT/grub.cfg ] || return 0
  cp $esp/EFI/BOOT/grub.cfg /run/grub.cfg
  for file in $esp/EFI/*/grub.cfg; do cat /run/grub.cfg >"$file" || stop 'the ESP cannot be written'; done
}

# Told apart from every other system on the machine's disks by GRUB from the network.
mark_esp() { # ESP
  mark=$(ask 60 "$base/mark") && mkdir -p "$1/EFI/hostwright" && : >"$1/EFI/hostwright/$mark" || say 'the ESP takes no mark'
}

install_loader() {
  say 'boot loader'
  for folder in dev proc sys; do mkdir -p /mnt/$folder && mount --bind /$folder /mnt/$folder; done
  if [ -n "$efi" ]; then
    # where the image has them, Debian's and Ubuntu's puts shim and signed GRUB there
    chroot /mnt grub-install --target=x86_64-efi --efi-directory=/boot/efi --removable --no-nvram >/run/grub.log 2>&1 || stop "grub-install: $(tail -n 1 /run/grub.log)"
    if secure_boot; then
      check_signed
      say 'Secure Boot is on: the boot loader of the image is signed'
    fi
    mend_configurations
    mark_esp $esp
  else
    for one in $disk $second; do chroot /mnt grub-install --target=i386-pc "/dev/$one" >/run/grub.log 2>&1 || stop "grub-install: $(tail -n 1 /run/grub.log)"; done
  fi
  if chroot /mnt sh -c 'command -v update-grub' >/dev/null 2>&1; then
    chroot /mnt update-grub >/run/grub.log 2>&1 || stop "update-grub: $(tail -n 1 /run/grub.log)"
  elif [ -e /mnt/boot/grub/grub.cfg.in ]; then
    sed "s/@ROOT@/$uuid/" /mnt/boot/grub/grub.cfg.in >/mnt/boot/grub/grub.cfg
  fi
  umount /mnt/dev /mnt/proc /mnt/sys
  if [ -n "$efi" ]; then
    # either disk of a mirror can start the machine
    if [ -n "$second" ]; then
      /usr/sbin/mkfs.vfat -n ESP2 "$(part "$second" 1)" >/dev/null && mkdir -p /run/esp2 && mount -t vfat "$(part "$second" 1)" /run/esp2 &&
        cp -r $esp/. /run/esp2/ && umount /run/esp2 || stop 'the second ESP cannot be made'
    fi
    umount $esp
  fi
}
