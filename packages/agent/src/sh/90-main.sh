usage() {
  cat >&2 <<'USAGE'
hostwright-agent join --url URL --ca FILE   join (token in HOSTWRIGHT_JOIN_TOKEN)
                 serve                      say hello, poll, run; in the foreground
                 install                    have systemd or cron keep it running
                 unit, cron                 print what install would have systemd or cron do
                 uninstall                  stop, and remove every trace
                 inventory                  print what is told about this machine
                 status                     node, server, runs
USAGE
  exit 2
}

main() {
  verb=${1:-}
  [ $# -gt 0 ] && shift
  case $verb in
    inventory) boot=$(boot_id); inventory_json; return ;;
    unit) unit_text; return ;;
    cron) cron_line; return ;;
    uninstall) uninstall; return ;;
    join | serve | install | status) ;;
    *) usage ;;
  esac
  mkdir -p "$state/io" "$state/runs" "$state/lanes" "$state/empty" || die "cannot write to $state"
  chmod 700 "$state" || die "cannot write to $state"
  case $verb in
    status)
      printf 'node %s at %s\n' "$(cat "$state/name" 2>/dev/null || echo '(not joined)')" "$(cat "$state/url" 2>/dev/null)"
      for m_dir in "$state"/runs/*; do [ -d "$m_dir" ] && echo "run ${m_dir##*/}"; done
      ;;
    install) install_service ;;
    serve) find_client; serve ;;
    join)
      find_client
      url='' m_ca=''
      while [ $# -gt 1 ]; do
        case $1 in
          --url) url=${2%/} ;;
          --ca) m_ca=$2 ;;
          *) usage ;;
        esac
        shift 2
      done
      check_url "$url"
      join_token=${HOSTWRIGHT_JOIN_TOKEN:-}
      unset HOSTWRIGHT_JOIN_TOKEN
      [ -n "$join_token" ] || die 'give the join token in HOSTWRIGHT_JOIN_TOKEN'
      [ -z "$m_ca" ] || [ "$m_ca" = "$state/ca.pem" ] || cp "$m_ca" "$state/ca.pem" || die "cannot read $m_ca"
      [ -f "$state/ca.pem" ] || : >"$state/ca.pem"
      boot=$(boot_id)
      [ -n "$boot" ] || die 'this system has no boot id'
      join_node
      printf '%s\n' "$url" | put "$state/url"
      ;;
  esac
}

main "$@"
