# What a poll brought.

# Fails: not now; the server offers it again.
take_run() {
  k_dir=$state/runs/$t_run
  if [ -e "$state/done/$t_run" ]; then
    # it ran here and was reported; whoever offers it again has forgotten
    printf '{"exit_code":255,"reason":"already ran"}\n' >"$io.result"
    http POST "/agent/v1/task/$t_run/$t_token/result" 60 "$io.result"
    return 0
  fi
  if ! mkdir "$k_dir" 2>/dev/null; then
    [ -e "$k_dir/acknowledged" ] || return 1
    http POST "/agent/v1/task/$t_run/$t_token/started" 60 /dev/null
    ensure_shipper "$t_run"
    return 0
  fi
  http GET "/agent/v1/task/$t_run/$t_token/bundle" 300
  case $status in
    200) ;;
    404 | 409) rm -rf "$k_dir"; return 0 ;;
    *) rm -rf "$k_dir"; return 1 ;;
  esac
  k_sum=$(sha256sum "$io.body")
  if [ "${k_sum%% *}" != "$t_sha256" ] || ! tar -xof "$io.body" -C "$k_dir"; then
    say "run $t_run: the bundle is damaged"
    rm -rf "$k_dir"
    return 1
  fi
  : >"$io.body"
  echo "$t_token $t_lane $t_timeout $boot" >"$k_dir/task"
  http POST "/agent/v1/task/$t_run/$t_token/started" 60 /dev/null
  case $status in
    200) ;;
    404 | 409) rm -rf "$k_dir"; return 0 ;;
    *) rm -rf "$k_dir"; return 1 ;;
  esac
  : >"$k_dir/acknowledged"
  ensure_shipper "$t_run"
}

cancel_run() {
  if [ -f "$state/runs/$t_run/runner" ]; then
    sh "$state/runs/$t_run/runner" cancel >/dev/null 2>&1 </dev/null &
    ensure_shipper "$t_run"
    return 0
  fi
  printf '{"exit_code":143,"reason":"cancelled"}\n' >"$io.result"
  http POST "/agent/v1/task/$t_run/$t_token/result" 60 "$io.result"
  case $status in 2?? | 4??) return 0 ;; *) return 1 ;; esac
}

reboot_machine() {
  http POST "/agent/v1/task/$t_run/$t_token/started" 60 /dev/null
  case $status in 200) ;; 404 | 409) return 0 ;; *) return 1 ;; esac
  printf '{"exit_code":0,"reason":"rebooting"}\n' >"$io.result"
  http POST "/agent/v1/task/$t_run/$t_token/result" 60 "$io.result"
  case $status in 2??) ;; *) return 1 ;; esac
  say "rebooting for run $t_run"
  if [ -n "${HOSTWRIGHT_REBOOT:-}" ]; then
    sh -c "$HOSTWRIGHT_REBOOT"
  elif [ -d /run/systemd/system ]; then
    systemctl reboot
  else
    reboot || reboot -f
  fi
}

handle_task() {
  t_run=$(answer run)
  t_token=$(answer token)
  t_lane=$(answer lane)
  t_timeout=$(answer timeout_seconds)
  t_sha256=$(answer sha256)
  if ! is_number "$t_run" || ! is_number "$t_token" || ! is_number "$t_timeout"; then return 1; fi
  case $t_lane in host | service) ;; *) return 1 ;; esac
  case $(answer action) in
    run) take_run ;;
    cancel) cancel_run ;;
    reboot) reboot_machine ;;
    *) return 1 ;;
  esac
}

# After a start or an outage: what is not current is ended, what is gets its shipper back.
reconcile() {
  http GET /agent/v1/live 60
  [ "$status" = 200 ] || return 1
  cp "$io.body" "$io.live"
  for r_dir in "$state"/runs/*; do
    [ -d "$r_dir" ] || continue
    r_run=${r_dir##*/}
    r_token=
    [ -s "$r_dir/task" ] && read -r r_token _ <"$r_dir/task"
    if [ ! -e "$r_dir/acknowledged" ]; then
      # never begun: it is offered again if it is still wanted
      rm -rf "$r_dir"
    elif grep -q "^run=$r_run token=$r_token\$" "$io.live"; then
      ensure_shipper "$r_run"
    else
      say "run $r_run is not current any more"
      read -r e_pid e_born 2>/dev/null <"$r_dir/shipper" && same "$e_pid" "$e_born" && kill "$e_pid" 2>/dev/null
      end_run "$r_run" &
    fi
  done
  prune_done
}
