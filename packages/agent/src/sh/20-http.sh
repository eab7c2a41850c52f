# One request. `io` names the files of the caller (several speak at once): $io.status, $io.body.
# Tokens travel in configuration files (0600), never on a command line.

find_client() {
  if command -v curl >/dev/null 2>&1; then
    client=curl
  elif wget --version 2>/dev/null | grep -q 'GNU Wget'; then
    client=wget
  else
    # busybox wget does not verify certificates
    die 'needs curl or GNU wget'
  fi
}

# TLS is not optional where a token travels; plain HTTP is for trials on one machine.
check_url() {
  case $1 in
    *[!][A-Za-z0-9.:/_%-]*) die "not a URL: $1" ;;
    https://?*) return 0 ;;
    http://127.0.0.1[:/]* | http://localhost[:/]* | 'http://[::1]'[:/]*) return 0 ;;
    *) die "the URL must begin with https:// : $1" ;;
  esac
}

use_token() { # TOKEN
  case $1 in *[!A-Za-z0-9_.-]* | '') die 'the token is malformed' ;; esac
  printf 'header = "Authorization: Bearer %s"\n' "$1" | put "$state/curl.conf"
  printf 'header = Authorization: Bearer %s\n' "$1" | put "$state/wget.conf"
}

# Hostwright's own CA and no other, or, where the server's certificate is a public one, the
# system's store.
own_ca() { [ -s "$state/ca.pem" ] && echo yes; }

http() { # METHOD PATH SECONDS [FILE [TYPE]]
  h_url=$url$2
  h_own=$(own_ca)
  rm -f "$io.status"
  : >"$io.body"
  if [ "$client" = curl ]; then
    set -- -q -sS -K "$state/curl.conf" ${h_own:+--cacert "$state/ca.pem" --capath "$state/empty"} \
      --connect-timeout 10 --max-time "$3" -X "$1" -H "X-Hostwright-Boot: $boot" \
      ${4:+-H "Content-Type: ${5:-application/json}" -H 'Expect:' --data-binary "@$4"} \
      -o "$io.body" -w '%{http_code}\n' "$h_url"
    curl "$@" >"$io.status" 2>"$io.err" &
    child=$!
    wait "$child"
  else
    set -- -q -S --config="$state/wget.conf" --no-hsts \
      ${h_own:+--ca-certificate="$state/ca.pem" --ca-directory="$state/empty"} --content-on-error --tries=1 --timeout="$3" --method="$1" \
      --header="X-Hostwright-Boot: $boot" \
      ${4:+--header="Content-Type: ${5:-application/json}" --body-file="$4"} \
      -O "$io.body" "$h_url"
    wget "$@" 2>"$io.err" &
    child=$!
    wait "$child"
    sed -n 's/^ *HTTP\/[0-9.]* \([0-9][0-9][0-9]\).*/\1/p' "$io.err" | tail -n 1 >"$io.status"
  fi
  status=000
  [ -s "$io.status" ] && read -r status <"$io.status"
  is_number "$status" || status=000
  return 0
}

# The value of a key in the answer's key=value lines.
answer() { sed -n "s/^$1=//p" "$io.body" | head -n 1; }
