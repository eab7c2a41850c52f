# Sourced by install.sh: fetches the image, checks it while it streams, and writes a raw one. Uses its
# plan, stop, say and ask, and $image, $disk.

# The image on stdout; a connection that breaks is taken up where it broke.
stream() {
  size=$(plan image_bytes) got=0 idle=0
  while [ "$got" -lt "$size" ]; do
    curl -q -fsS --cacert /etc/hostwright/ca.pem --connect-timeout 10 --speed-limit 100 --speed-time 60 \
      -C "$got" -w '%{stderr}\n%{size_download}' "$image" 2>/run/curl.out
    code=$?
    came=$(tail -n 1 /run/curl.out)
    sed '$d' /run/curl.out | grep . >/run/curl.err
    # 23: who unpacks has ended
    [ $code -eq 23 ] && return 1
    idle=$((idle + 1))
    case $came in '' | 0 | *[!0-9]*) ;; *) got=$((got + came)) idle=0 ;; esac
    [ $idle -ge 10 ] && return 1
    [ "$got" -lt "$size" ] || break
    # stdout is the image
    say "the connection broke at $got of $size bytes: taken up again" >&2
    sleep 2
  done
  # the loop ends with its last test, which was no
  return 0
}

# The first that is there. By its path, because busybox's shell takes its own programs before those of
# $PATH, and its tee passes on a kilobyte at a time, which took longer than all the rest; its tar drops
# capabilities and ACLs.
best() { if [ -x "/usr/sbin/$1" ]; then echo "/usr/sbin/$1"; else echo "$1"; fi; }

# Some builders fill a file up with zero bytes, which gzip passes over and zstd refuses. A gzip stream ends
# in its checksum and its size, four bytes each, the size of 4 GiB being zero: five zero bytes are padding.
padded() {
  end=$(curl -q -fsS --cacert /etc/hostwright/ca.pem --connect-timeout 10 --max-time 60 -r -5 "$image" 2>/dev/null | od -An -tx1 | tr -d ' \n')
  [ "$end" = 0000000000 ]
}
# zstd reads gzip and xz too, if it was built so, and is three times as fast as busybox.
unpack() {
  how=$(plan image_compression)
  if [ "$how" = none ]; then cat
  # it ends where the padding begins; the checksum is of the whole
  elif [ "$how" = gzip ] && padded; then gzip -dc && cat >/dev/null
  elif /usr/sbin/zstd -vV 2>&1 | grep -qw "$how"; then /usr/sbin/zstd -dcq
  else "$how" -dc
  fi
}
# Debian's tar goes on after a full disk, file by file: it ends because nobody reads its complaints.
untar() {
  if [ -x /usr/sbin/tar ]; then
    {
      /usr/sbin/tar -x --numeric-owner --acls --xattrs --xattrs-include='*' -C "$1"
      echo $? >/run/tar.rc
    } 2>&1 | sed '/No space left/q' >&2
    return "$(cat /run/tar.rc)"
  fi
  tar -x -C "$1"
}

# Fetched, summed and unpacked at once; each part says how it ended. Nothing is believed before
# check_arrived has been passed.
arrive() {
  mkfifo /run/sum
  $(best sha256sum) </run/sum >/run/sum.txt &
  { stream; echo $? >/run/stream.rc; } | $(best tee) /run/sum | { unpack 2>/run/unpack.err; echo $? >/run/unpack.rc; }
}
check_end() {
  grep -q 'unsupported format' /run/unpack.err && stop "the image cannot be unpacked: it is no $(plan image_compression), or something else follows its end, such as zero bytes that fill it up: cut them off"
}
check_arrived() {
  tries=0
  while [ ! -s /run/sum.txt ] && [ $tries -lt 100 ]; do usleep 100000; tries=$((tries + 1)); done
  # who unpacks may have ended at it while more was to come
  [ "$(cat /run/stream.rc)" = 0 ] || check_end
  [ "$(cat /run/stream.rc)" = 0 ] || stop "the image cannot be fetched: $(head -n 1 /run/curl.err)"
  read -r sum _ </run/sum.txt
  [ "$sum" = "$(plan image_sha256)" ] || stop 'the image that arrived is not the one of the plan (checksum)'
  check_end
  [ "$(cat /run/unpack.rc)" = 0 ] || stop "the image cannot be unpacked: $(head -n 1 /run/unpack.err)"
}

# The first MiB - partition table and boot code - is held back until the checksum was right: a disk
# with a wrong, cut or half-written image on it starts nothing.
write_raw() {
  say "writing $(plan image_path) to $disk"
  end=$(($(cat "/sys/block/$disk/size") / 2048 - 1))
  dd if=/dev/zero of="/dev/$disk" bs=1M count=4 conv=notrunc 2>/dev/null || stop "writing to $disk failed"
  # an older GPT keeps a copy of itself in the last sectors
  dd if=/dev/zero of="/dev/$disk" bs=1M seek=$end conv=notrunc 2>/dev/null
  arrive | {
    dd of=/run/head bs=1M count=1 iflag=fullblock 2>/dev/null
    dd of="/dev/$disk" bs=1M seek=1 iflag=fullblock conv=notrunc,fsync 2>/run/dd.err
    echo $? >/run/dd.rc
  }
  grep -q 'No space left' /run/dd.err && stop "the disk is full: $(plan image_path) does not fit on $disk"
  check_arrived
  [ "$(cat /run/dd.rc)" = 0 ] || stop "writing to $disk failed: $(head -n 1 /run/dd.err)"
  dd if=/run/head of="/dev/$disk" bs=1M conv=notrunc,fsync 2>/dev/null || stop "writing to $disk failed"
  rm -f /run/head
  # the disk is larger than the image: the copy of the GPT belongs at its end
  /usr/sbin/sfdisk -q --relocate gpt-bak-std "/dev/$disk" >/dev/null 2>&1
  blockdev --rereadpt "/dev/$disk" 2>/dev/null
  mount_raw || stop 'the image holds no file system with an operating system on it (ext4, xfs; also in LVM)'
}

# LVM is shown the disk of the plan and no other: a volume of another disk may hold a system too, and
# that one would be mounted and written to.
this_disk_only() {
  printf 'devices { use_devicesfile=0 filter=[ "a|^/dev/%s(p?[0-9]+)?$|", "r|.*|" ] }' "$disk"
}

# Where its system is: the partition, volume or whole disk that holds an os-release.
mount_raw() {
  /usr/sbin/modprobe -qa ext4 xfs dm_mod
  tries=0
  while [ $tries -lt 20 ]; do
    [ -x /usr/sbin/lvm ] && /usr/sbin/lvm vgchange -qq -ay --sysinit --config "$(this_disk_only)" >/dev/null 2>&1
    for root in "/dev/$disk"?* /dev/mapper/?* "/dev/$disk"; do
      [ -b "$root" ] || continue
      mount "$root" /mnt 2>/dev/null || continue
      [ -e /mnt/etc/os-release ] || [ -L /mnt/etc/os-release ] && return 0
      umount /mnt
    done
    usleep 500000
    tries=$((tries + 1))
  done
  return 1
}
