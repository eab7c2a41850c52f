#!/bin/sh
# Makes this machine a node of the Hostwright at @URL@. Run it as root:
#   curl -fsSk @URL@/join | sh -s -- --token TOKEN --ca-fingerprint FINGERPRINT
# The CA is fetched, compared with the fingerprint, and everything after that is verified with it.
# (This script itself is as trustworthy as the way it came: the command that Hostwright prints has
# curl pin the server's key as well.)
set -u
umask 077

join_main() {
  url=${HOSTWRIGHT_URL:-'@URL@'}
  token=${HOSTWRIGHT_JOIN_TOKEN:-}
  fingerprint=${HOSTWRIGHT_CA_FINGERPRINT:-}
  state=${HOSTWRIGHT_STATE:-/var/lib/hostwright-agent}
  service=yes
  while [ $# -gt 0 ]; do
    case $1 in
      --token) token=${2:-}; shift ;;
      --ca-fingerprint) fingerprint=${2:-}; shift ;;
      --url) url=${2:-}; shift ;;
      --state) state=${2:-}; shift ;;
      --no-service) service=no ;;
      *) stop "unknown option $1" ;;
    esac
    [ $# -gt 0 ] && shift
  done
  unset HOSTWRIGHT_JOIN_TOKEN
  [ -n "$token" ] || stop 'give a join token: --token TOKEN, or HOSTWRIGHT_JOIN_TOKEN'
  for program in awk od sed tail head tr wc tar sha256sum base64 setsid; do
    command -v "$program" >/dev/null 2>&1 || stop "needs the program $program"
  done
  if command -v curl >/dev/null 2>&1; then
    client=curl
  elif wget --version 2>/dev/null | grep -q 'GNU Wget'; then
    client=wget
  else
    stop 'needs curl or GNU wget (busybox wget does not verify certificates)'
  fi
  mkdir -p "$state/empty" || stop "cannot write to $state (are you root?)"
  chmod 700 "$state" || stop "cannot write to $state (are you root?)"

  case $url in
    https://*)
      if [ -z "$fingerprint" ]; then
        # a certificate that this system trusts by itself
        : >"$state/ca.pem"
      else
        take_ca
      fi
      ;;
    http://127.0.0.1:* | http://localhost:*) : >"$state/ca.pem" ;;
    *) stop "the URL must begin with https:// : $url" ;;
  esac

  fetch verified "$url/agent/v1/agent" "$state/agent.new" || stop "cannot fetch $url/agent/v1/agent"
  head -n 2 "$state/agent.new" | grep -q Hostwright || stop 'what the server gave is not the agent'
  mv "$state/agent.new" "$state/agent"
  export HOSTWRIGHT_STATE="$state"
  HOSTWRIGHT_JOIN_TOKEN=$token sh "$state/agent" join --url "$url" --ca "$state/ca.pem" || exit 1
  [ "$service" = no ] || sh "$state/agent" install
}

take_ca() {
  wanted=$(printf %s "$fingerprint" | sed 's/^[Ss][Hh][Aa]256://' | tr -d ': ' | tr 'A-F' 'a-f')
  case $wanted in *[!0-9a-f]*) stop 'the fingerprint is the SHA-256 of the CA, in hex' ;; esac
  [ ${#wanted} -eq 64 ] || stop 'the fingerprint is the SHA-256 of the CA, in hex'
  fetch insecure "$url/agent/v1/ca.pem" "$state/ca.pem.new" || stop "cannot fetch $url/agent/v1/ca.pem"
  # the first certificate only, so that what is compared is all that is trusted
  sed -n '/-----BEGIN CERTIFICATE-----/,/-----END CERTIFICATE-----/{p;/-----END/q;}' \
    "$state/ca.pem.new" >"$state/ca.pem.one"
  rm -f "$state/ca.pem.new"
  found=$(sed '/-----/d' "$state/ca.pem.one" | base64 -d 2>/dev/null | sha256sum)
  found=${found%% *}
  if [ "$found" != "$wanted" ]; then
    rm -f "$state/ca.pem.one"
    stop "the CA of $url is not the one expected: $found"
  fi
  mv "$state/ca.pem.one" "$state/ca.pem"
}

stop() {
  printf 'hostwright join: %s\n' "$*" >&2
  exit 1
}

fetch() { # insecure|verified URL FILE
  if [ "$client" = curl ]; then
    if [ "$1" = insecure ]; then
      set -- "$2" "$3" -k
    elif [ -s "$state/ca.pem" ]; then
      set -- "$2" "$3" --cacert "$state/ca.pem" --capath "$state/empty"
    else
      set -- "$2" "$3"
    fi
    f_url=$1 f_file=$2
    shift 2
    curl -q -fsS "$@" --connect-timeout 10 --max-time 60 -o "$f_file" "$f_url"
  else
    if [ "$1" = insecure ]; then
      set -- "$2" "$3" --no-check-certificate
    elif [ -s "$state/ca.pem" ]; then
      set -- "$2" "$3" --ca-certificate="$state/ca.pem" --ca-directory="$state/empty"
    else
      set -- "$2" "$3"
    fi
    f_url=$1 f_file=$2
    shift 2
    wget -q --no-config --no-hsts "$@" --tries=1 --timeout=60 -O "$f_file" "$f_url"
  fi
}

# Last, so that a download cut short does nothing.
join_main "$@"
