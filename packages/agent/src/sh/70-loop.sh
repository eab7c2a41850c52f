# Joins once; then says hello, tells what it is made of, and polls for ever.

join_node() { # the join token is in $join_token
  io=$state/io/join
  use_token "$join_token"
  identity_json >"$io.identity"
  j_failures=0
  while :; do
    http POST /agent/v1/join 60 "$io.identity"
    case $status in
      200) break ;;
      400 | 401 | 403 | 422) die "the server refused this machine ($status): $(head -c 500 "$io.body")" ;;
    esac
    j_failures=$((j_failures + 1))
    [ "$j_failures" -ge 8 ] && die "could not join ($status): $(head -c 500 "$io.err" "$io.body" 2>/dev/null)"
    backoff "$j_failures"
  done
  j_token=$(answer token)
  use_token "$j_token"
  printf '%s\n' "$j_token" | put "$state/token"
  rm -f "$state/token.next"
  answer node | put "$state/node"
  answer name | put "$state/name"
  rm -f "$io".*
  say "this machine is node $(cat "$state/name")"
}

load_token() {
  l_file=$state/token
  [ -s "$state/token.next" ] && l_file=$state/token.next
  read -r l_token <"$l_file" || die "not joined: $l_file cannot be read"
  use_token "$l_token"
}

# A new token is used at once: its first use is what ends the old one.
hello() {
  load_token
  u_text=$(cat "$root/proc/uptime" 2>/dev/null)
  u_text=${u_text%%.*}
  is_number "$u_text" || u_text=0
  printf '{"boot_id":%s,"agent_version":%s,"uptime_seconds":%s}\n' "$(text "$boot")" "$(text "$VERSION")" \
    "$u_text" >"$io.hello"
  http POST /agent/v1/hello 60 "$io.hello"
  if [ "$status" = 401 ] && [ -s "$state/token.next" ]; then
    rm -f "$state/token.next"
    return 1
  fi
  [ "$status" = 200 ] || return 1
  [ -s "$state/token.next" ] && mv "$state/token.next" "$state/token"
  e_poll=$(answer poll_seconds)
  is_number "$e_poll" && [ "$e_poll" -ge 1 ] && poll_seconds=$e_poll
  e_rotate=$(answer rotate)
  if [ -n "$e_rotate" ]; then
    printf '%s\n' "$e_rotate" | put "$state/token.next"
    hello
    return
  fi
  return 0
}

tell_inventory() {
  inventory_json >"$io.facts"
  http POST /agent/v1/inventory 60 "$io.facts"
  case $status in
    2??) return 0 ;;
    400 | 413) say "the server did not take the inventory ($status): $(head -c 500 "$io.body")"; return 0 ;;
    *) return 1 ;;
  esac
}

# Neighbours are heard after the first report: what is new is told once more.
tell_news() {
  t_mark=$(neighbours_mark)
  [ "$t_mark" = "$told" ] && return 0
  tell_inventory && told=$t_mark
}

poll() {
  p_began=$(now)
  http GET "/agent/v1/task?boot=$boot&wait=$poll_seconds" $((poll_seconds + 20))
  case $status in
    200) handle_task ;;
    204) [ "$(now)" -gt "$p_began" ] || nap 1 ;;
    *) return 1 ;;
  esac
}

# Two may start in the same moment: a link is made by one of them only. One left by an agent that
# is gone is taken away under a name that only its finder has.
only_one() {
  o_mine=$state/agent.pid.$$
  echo "$$ $(born $$)" >"$o_mine"
  o_tries=0
  until ln "$o_mine" "$state/agent.pid" 2>/dev/null; do
    if read -r o_pid o_born 2>/dev/null <"$state/agent.pid" && same "$o_pid" "$o_born"; then
      rm -f "$o_mine"
      exit 0
    fi
    o_tries=$((o_tries + 1))
    # no links on this file system
    [ "$o_tries" -gt 5 ] && { mv "$o_mine" "$state/agent.pid"; return; }
    mv "$state/agent.pid" "$o_mine.old" 2>/dev/null
    # the dead one was taken away, unless another was quicker: then it gets its place back
    if read -r o_pid o_born 2>/dev/null <"$o_mine.old" && same "$o_pid" "$o_born"; then
      ln "$o_mine.old" "$state/agent.pid" 2>/dev/null
    fi
    rm -f "$o_mine.old"
  done
  rm -f "$o_mine"
}

serve() {
  only_one
  io=$state/io/main
  url=$(cat "$state/url") || die 'not joined'
  check_url "$url"
  boot=$(boot_id)
  [ -n "$boot" ] || die 'this system has no boot id'
  child=
  trap 'kill "$child" 2>/dev/null; stop_shippers; exit 0' TERM INT
  poll_seconds=25
  failures=0
  greeted=0
  told=$(neighbours_mark)
  while :; do
    # hello again every six hours: tokens are replaced there, and hardware may have changed
    if [ $(($(now) - greeted)) -ge 21600 ]; then
      if hello && tell_inventory && reconcile; then
        greeted=$(now)
        failures=0
        continue
      fi
    elif poll; then
      [ "$failures" -gt 0 ] && reconcile
      failures=0
      tend_runs
      tell_news
      continue
    else
      case $status in 401 | 409) greeted=0 ;; esac
    fi
    failures=$((failures + 1))
    [ "$failures" -eq 3 ] && say "the server does not answer as it should ($status): $(head -c 300 "$io.err" 2>/dev/null)"
    backoff "$failures"
  done
}
