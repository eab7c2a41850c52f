# Sent as the command of an SSH session: sh -c THIS hostwright RUN TOKEN LANE TIMEOUT OFFSET STATE
# The bundle is on standard input and is read only if the run is not here yet. Whatever happens to
# the connection, the run is begun once: runs/RUN is made by mkdir, and so is its `started`.
umask 077
run=$1 token=$2 lane=$3 timeout=$4 offset=$5 state=$6
[ -n "$state" ] || state=${HOSTWRIGHT_STATE:-}
if [ -z "$state" ]; then
  if [ "$(id -u)" = 0 ]; then state=/var/lib/hostwright-agent; else state=$HOME/.hostwright; fi
fi
dir=$state/runs/$run
if [ -e "$state/done/$run" ]; then
  echo "run $run was here and is gone" >&2
  exit 92
fi
if [ ! -e "$dir/ready" ]; then
  new=$state/new.$run.$$
  if ! mkdir -p "$new" "$state/runs" "$state/lanes" "$state/done" || ! tar -xof - -C "$new"; then
    rm -rf "$new"
    exit 91
  fi
  chmod 700 "$state"
  if mkdir "$dir" 2>/dev/null; then
    # cancelled meanwhile: whoever cancels writes this first and then looks for the folder
    if [ -e "$state/done/$run" ]; then
      rm -rf "$new" "$dir"
      exit 92
    fi
    mv "$new"/* "$dir" && : >"$dir/ready"
  fi
  rm -rf "$new"
fi
tries=0
until [ -e "$dir/ready" ]; do
  tries=$((tries + 1))
  [ "$tries" -gt 10 ] && exit 92
  sleep 1
done
sh "$dir/runner" start "$token" "$lane" "$timeout" </dev/null
exec sh "$dir/runner" follow "$offset" </dev/null
