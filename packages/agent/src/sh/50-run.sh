# The runs that were given to this machine. Each has a folder runs/RUN; a shipper (one background
# process per run) sends its output as it comes and its result until the server has taken it. The
# scripts themselves are the runner's, which comes in the bundle and needs neither agent nor shipper.

# What is left of a run, once the server knows how it ended or wants to know no more.
forget_run() { # RUN
  rm -rf "$state/runs/$1" "$state/io/$1".*
  mkdir -p "$state/done"
  : >"$state/done/$1"
}

prune_done() {
  # shellcheck disable=SC2012 # the names are numbers
  ls -t "$state/done" 2>/dev/null | tail -n +1001 | while IFS= read -r p_old; do
    rm -f "$state/done/$p_old"
  done
}

# Not current any more: ends it, tells nobody.
end_run() { # RUN
  [ -f "$state/runs/$1/runner" ] && sh "$state/runs/$1/runner" cancel
  forget_run "$1"
}

result_json() { # DIR
  r_code=$(sed -n 's/^exit_code=//p' "$1/exit")
  is_number "$r_code" && [ "$r_code" -le 255 ] || r_code=255
  r_reason=$(sed -n 's/^reason=//p' "$1/exit")
  [ -f "$1/wall.json" ] || : >"$1/wall.json"
  if [ "$(($(wc -c <"$1/wall.json")))" -gt 1048576 ]; then
    r_reason=wall_too_large
    : >"$1/wall.json"
  fi
  printf '{"exit_code":%s,"reason":%s,"script":%s,"wall":' "$r_code" "$(text "$r_reason")" \
    "$(sed -n 's/^script=//p' "$1/exit" | tr -d '\n' | json_string)"
  json_string <"$1/wall.json"
  printf '}\n'
}

send_result() { # RUN TOKEN
  result_json "$state/runs/$1" >"$io.result"
  s_failures=0
  while :; do
    http POST "/agent/v1/task/$1/$2/result" 60 "$io.result"
    case $status in
      2?? | 400 | 404 | 409 | 413) return 0 ;;
    esac
    s_failures=$((s_failures + 1))
    backoff "$s_failures"
  done
}

ship() { # RUN
  s_run=$1
  s_dir=$state/runs/$1
  io=$state/io/$1
  trap 'kill "$child" 2>/dev/null; exit 0' TERM INT
  read -r s_token s_lane s_timeout _ <"$s_dir/task" || return 1
  sh "$s_dir/runner" start "$s_token" "$s_lane" "$s_timeout"
  s_at=0
  [ -s "$s_dir/offset" ] && read -r s_at <"$s_dir/offset"
  s_failures=0
  s_rest=1
  s_beat=$(now)
  s_looked=0
  while :; do
    s_ended=no
    s_now=$(now)
    if [ -e "$s_dir/exit" ]; then
      s_ended=yes
    elif [ $((s_now - s_looked)) -ge 5 ]; then
      s_looked=$s_now
      sh "$s_dir/runner" over && s_ended=yes
    fi
    s_size=0
    [ -f "$s_dir/output" ] && s_size=$(($(wc -c <"$s_dir/output")))
    # Now and then without output too: the answer says whether the run is still current.
    if [ "$s_size" -gt "$s_at" ] || [ $((s_now - s_beat)) -ge 15 ]; then
      tail -c "+$((s_at + 1))" "$s_dir/output" 2>/dev/null | head -c 131072 >"$io.piece"
      s_last=0
      [ "$s_ended" = yes ] && [ $((s_at + $(wc -c <"$io.piece"))) -ge "$s_size" ] && s_last=1
      http POST "/agent/v1/task/$s_run/$s_token/log?offset=$s_at&last=$s_last" 60 "$io.piece" application/octet-stream
      s_beat=$s_now
      case $status in
        200)
          s_failures=0
          s_got=$(answer offset)
          is_number "$s_got" || s_got=$s_at
          [ "$s_got" -gt "$s_at" ] && s_rest=1
          s_at=$s_got
          echo "$s_at" >"$s_dir/offset"
          ;;
        400 | 413) s_at=$((s_at + $(wc -c <"$io.piece"))) ;;
        404 | 409) end_run "$s_run"; return 0 ;;
        *)
          s_failures=$((s_failures + 1))
          backoff "$s_failures"
          continue
          ;;
      esac
    fi
    if [ "$s_ended" = yes ]; then
      [ "$s_at" -ge "$s_size" ] && break
      continue
    fi
    # 0.1 s at first, 1 s once nothing has happened for a while
    [ "$s_rest" -lt 10 ] && s_rest=$((s_rest + 1))
    case $s_rest in 10) nap 1 ;; *) nap "0.$s_rest" ;; esac
  done
  send_result "$s_run" "$s_token"
  forget_run "$s_run"
}

ensure_shipper() { # RUN
  if read -r e_pid e_born 2>/dev/null <"$state/runs/$1/shipper" && same "$e_pid" "$e_born"; then
    return 0
  fi
  ship "$1" &
  echo "$! $(born $!)" >"$state/runs/$1/shipper"
}

# A shipper that died is replaced.
tend_runs() {
  for e_file in "$state"/runs/*/acknowledged; do
    [ -e "$e_file" ] || continue
    e_run=${e_file%/acknowledged}
    ensure_shipper "${e_run##*/}"
  done
}

stop_shippers() {
  for e_file in "$state"/runs/*/shipper; do
    read -r e_pid e_born 2>/dev/null <"$e_file" && same "$e_pid" "$e_born" && kill "$e_pid" 2>/dev/null
  done
}
