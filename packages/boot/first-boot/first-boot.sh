#!/bin/sh
# Tells Hostwright that the installed system is up, joins, and then only keeps the agent running.
cd /var/lib/hostwright-agent || exit 1
value() { sed -n "s/^$1=//p" firstboot | head -n 1; }
if [ -s firstboot ]; then
  tries=0
  until curl -q -fsS --cacert ca.pem --max-time 20 --data-binary "boot_id=$(cat /proc/sys/kernel/random/boot_id)" "$(value url)/boot/v1/up/$(value up)" >/dev/null 2>&1 || [ $tries -ge 300 ]; do
    tries=$((tries + 1))
    sleep 2
  done
  HOSTWRIGHT_JOIN_TOKEN=$(value join) sh agent join --url "$(value url)" --ca ca.pem && rm -f firstboot
fi
exec sh agent serve
