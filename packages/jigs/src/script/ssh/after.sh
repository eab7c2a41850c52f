# Sent as the command of an SSH session: sh -c THIS hostwright VERB RUN STATE
# result: how it ended, then the wall; cancel: ends it; forget: removes it and remembers that it was
umask 077
verb=$1 run=$2 state=$3
[ -n "$state" ] || state=${HOSTWRIGHT_STATE:-}
if [ -z "$state" ]; then
  if [ "$(id -u)" = 0 ]; then state=/var/lib/hostwright-agent; else state=$HOME/.hostwright; fi
fi
dir=$state/runs/$run
case $verb in
  result)
    cat "$dir/exit" || exit 92
    echo
    if [ -f "$dir/wall.json" ]; then head -c 1048577 "$dir/wall.json"; fi
    ;;
  cancel)
    mkdir -p "$state/done"
    # a run that is not here now never will be
    : >"$state/done/$run"
    tries=0
    while [ -d "$dir" ] && [ ! -e "$dir/ready" ] && [ "$tries" -lt 10 ]; do
      tries=$((tries + 1))
      sleep 1
    done
    [ -f "$dir/runner" ] && exec sh "$dir/runner" cancel
    true
    ;;
  forget)
    mkdir -p "$state/done"
    : >"$state/done/$run"
    rm -rf "$dir"
    # shellcheck disable=SC2012 # the names are numbers
    ls -t "$state/done" | tail -n +1001 | while IFS= read -r old; do rm -f "$state/done/$old"; done
    ;;
esac
