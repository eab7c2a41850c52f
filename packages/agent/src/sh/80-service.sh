# Kept running: by systemd, else by cron, else only until the next boot.

unit_text() {
  cat <<UNIT
[Unit]
Description=Hostwright agent
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=/bin/sh $state/agent serve
Environment=HOSTWRIGHT_STATE=$state
Restart=always
RestartSec=5
# runs outlive an agent that is restarted
KillMode=process
Nice=5

[Install]
WantedBy=multi-user.target
UNIT
}

# Every minute, because an agent that finds another at work ends at once; no @reboot, because
# busybox crond dies of it.
cron_line() {
  echo "* * * * * HOSTWRIGHT_STATE='$state' setsid /bin/sh '$state/agent' serve >/dev/null 2>&1 </dev/null &"
}

install_service() {
  case $state in *[!A-Za-z0-9/._-]*) die "the state folder's name must be plain: $state" ;; esac
  if [ -d /run/systemd/system ] && command -v systemctl >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    unit_text | put /etc/systemd/system/hostwright-agent.service
    chmod 644 /etc/systemd/system/hostwright-agent.service
    systemctl daemon-reload && systemctl enable --quiet hostwright-agent.service &&
      systemctl restart hostwright-agent.service && say 'started by systemd (hostwright-agent.service)' && return 0
  fi
  if command -v crontab >/dev/null 2>&1 &&
    { crontab -l 2>/dev/null | grep -vF "$state/agent"; cron_line; } | crontab - 2>/dev/null; then
    say 'kept running by cron'
  else
    say 'neither systemd nor cron here: it runs until the next boot'
  fi
  HOSTWRIGHT_STATE=$state setsid sh "$state/agent" serve >>"$state/log" 2>&1 </dev/null &
}

uninstall() {
  if [ -e /etc/systemd/system/hostwright-agent.service ]; then
    systemctl disable --now hostwright-agent.service 2>/dev/null
    rm -f /etc/systemd/system/hostwright-agent.service
    systemctl daemon-reload 2>/dev/null
  fi
  if command -v crontab >/dev/null 2>&1 && crontab -l 2>/dev/null | grep -qF "$state/agent"; then
    crontab -l 2>/dev/null | grep -vF "$state/agent" | crontab -
  fi
  if read -r o_pid o_born 2>/dev/null <"$state/agent.pid" && same "$o_pid" "$o_born"; then
    kill "$o_pid"
  fi
  for u_dir in "$state"/runs/*; do
    [ -f "$u_dir/runner" ] && sh "$u_dir/runner" cancel
  done
  rm -rf "$state"
  say 'gone from this machine; delete the node in Hostwright'
}
