#!/bin/sh
# Runs the scripts of one run on the machine; comes with every bundle, so it always fits the server.
# POSIX sh: dash, bash, busybox ash. It must never start a run twice, never let two runs of one lane
# overlap, and never need the connection that started it.
#
#   STATE/lanes/LANE         who holds the lane: run token supervisor executor boot (with start times)
#   STATE/runs/RUN/          this file, lib.sh, env, attribs.json, attr/, scripts/; 0700
#     started/               made by mkdir: whoever makes it starts the run, nobody else ever does
#     output                 stdout and stderr of the scripts, merged
#     wall.json              what they wrote back
#     exit                   exit_code=, reason=, script=: there when and only when the run is over
#     reboots                its role may reboot the machine: what follows is done in the next boot
#     ended/SCRIPT           a script that must not run again, of such a run
#
# The supervisor (S) leads one process group, the executor (E) with the scripts another. S ends E on
# timeout and cancel, and writes `exit`. A newer run of the same lane ends S and E first.
set -u
umask 077

dir=$(cd "$(dirname "$0")" && pwd) || exit 1
state=$(cd "$dir/../.." && pwd) || exit 1
run=${dir##*/}
grace=${HOSTWRIGHT_GRACE_SECONDS:-10}
root=${HOSTWRIGHT_AGENT_ROOT:-}

nap() { sleep "$1" 2>/dev/null || sleep 1; }

boot_id() { cat "$root/proc/sys/kernel/random/boot_id" 2>/dev/null || echo unknown; }

# A pid alone may be somebody else's by now: with its start time it is that process or none.
born() {
  # the command's name may hold blanks and brackets; field 22 counts from after the last ')'
  if ! stat=$(cat "/proc/$1/stat" 2>/dev/null); then return 1; fi
  stat=${stat##*) }
  # shellcheck disable=SC2086 # to be split
  set -- $stat
  [ "$1" = Z ] && return 1
  shift 19
  echo "$1"
}

same() { [ -n "$1" ] && [ -n "$2" ] && [ "$(born "$1")" = "$2" ]; }

# Is anything of this process group left? Zombies do not count, so kill -0 would not do.
group_left() {
  cat /proc/[0-9]*/stat 2>/dev/null | awk -v group="$1" '
    { sub(/^.*\) /, ""); if ($3 == group && $1 != "Z") found = 1 }
    END { exit !found }'
}

# TERM, wait, KILL, wait: the whole group. Fails if something could not be ended.
end_group() {
  kill -TERM "-$1" 2>/dev/null
  tries=0
  while group_left "$1"; do
    tries=$((tries + 1))
    [ "$tries" -eq $((grace * 10)) ] && kill -KILL "-$1" 2>/dev/null
    [ "$tries" -gt $((grace * 10 + 300)) ] && return 1
    nap 0.1
  done
  return 0
}

# Secrets do not outlive the run.
clean() { rm -rf "$1/scripts" "$1/env" "$1/attribs.json" "$1/attr" "$1/tmp"; }

finish() { # exit_code reason script
  clean "$dir"
  printf 'exit_code=%s\nreason=%s\nscript=%s\n' "$1" "$2" "$3" >"$dir/exit.$$" &&
    mv "$dir/exit.$$" "$dir/exit"
}

# Holds fd 9 while the lane changes hands. Where there is no flock, a folder stands in.
lock_lane() {
  mkdir -p "$state/lanes"
  exec 9>"$state/lanes/$lane.lock"
  if command -v flock >/dev/null 2>&1; then
    flock 9
    return
  fi
  tries=0
  until mkdir "$state/lanes/$lane.mutex" 2>/dev/null; do
    tries=$((tries + 1))
    # its owner was killed between two commands: no lane changes hands for this long
    [ "$tries" -gt 600 ] && rmdir "$state/lanes/$lane.mutex" 2>/dev/null
    nap 0.1
  done
}
unlock_lane() {
  exec 9>&-
  command -v flock >/dev/null 2>&1 || rmdir "$state/lanes/$lane.mutex" 2>/dev/null
}

# Called by the executor, before it runs anything: the lane is ours, and what held it is gone.
take_lane() { # supervisor
  lock_lane
  if read -r h_run h_token h_sup h_sup_born h_exe h_exe_born h_boot 2>/dev/null <"$state/lanes/$lane" &&
    [ "$h_run" != "$run" ]; then
    if [ "$h_token" -gt "$token" ]; then
      unlock_lane
      return 1
    fi
    if [ "$h_boot" = "$(boot_id)" ]; then
      # S first, so that it cannot report what we do to E as the scripts' own end
      same "$h_sup" "$h_sup_born" && kill -KILL "-$h_sup" 2>/dev/null
      if same "$h_exe" "$h_exe_born" || { [ ! -d "/proc/$h_exe" ] && group_left "$h_exe"; }; then
        end_group "$h_exe" || { unlock_lane; return 2; }
      fi
    fi
    if [ -d "$state/runs/$h_run" ] && [ ! -e "$state/runs/$h_run/exit" ]; then
      clean "$state/runs/$h_run"
      printf 'exit_code=137\nreason=fenced\nscript=\n' >"$state/runs/$h_run/exit"
    fi
  fi
  echo "$run $token $1 $(born "$1") $$ $(born $$) $(boot_id)" >"$state/lanes/$lane.new" &&
    mv "$state/lanes/$lane.new" "$state/lanes/$lane"
  unlock_lane
}

release_lane() {
  lock_lane
  if read -r h_run _ 2>/dev/null <"$state/lanes/$lane" && [ "$h_run" = "$run" ]; then
    rm -f "$state/lanes/$lane"
  fi
  unlock_lane
}

may_reboot() { [ -e "$dir/reboots" ]; }

mark_ended() { # SCRIPT
  mkdir -p "$dir/ended" && : >"$dir/ended/$1" && sync
}

execute() { # supervisor
  take_lane "$1"
  case $? in
    1) echo fenced >"$dir/refused"; exit 125 ;;
    2) echo lane_busy >"$dir/refused"; exit 125 ;;
  esac
  # shellcheck disable=SC1091 # made by the server, every value quoted
  . "$dir/env"
  mkdir -p "$dir/tmp" "$dir/work"
  export TMPDIR="$dir/tmp" HOSTWRIGHT_DIR="$dir" HOSTWRIGHT_ATTRIBS="$dir/attribs.json"
  export HOSTWRIGHT_WALL="$dir/wall.json" HOSTWRIGHT_LIB="$dir/lib.sh"
  cd "$dir/work" || exit 126
  for script in "$dir"/scripts/*; do
    [ -f "$script" ] || continue
    [ -e "$dir/ended/${script##*/}" ] && continue
    echo "${script##*/}" >"$dir/current"
    # a script that reboots at once must not be forgotten, or it would reboot for ever
    may_reboot && sync
    "$script" </dev/null || exit $?
    may_reboot && mark_ended "${script##*/}"
  done
  exit 0
}

# A machine that goes down ends everything with TERM too. Only `cancel` leaves word that it was that.
told_to_end() {
  if [ -e "$dir/cancelled" ]; then reason=cancelled; else reason=down; fi
}

supervise() {
  reason=''
  # A cancel that comes before this line finds no supervisor; `cancel` below waits for one.
  trap 'reason=cancelled' TERM
  may_reboot && trap 'told_to_end' TERM
  trap 'reason=timeout' USR1
  echo "$$ $(born $$) $(boot_id)" >"$dir/supervisor"
  setsid sh "$dir/runner" execute "$token" "$lane" "$timeout" "$$" >>"$dir/output" 2>&1 </dev/null &
  executor=$!
  (
    trap 'kill "$clock" 2>/dev/null; exit 0' TERM
    sleep "$timeout" &
    clock=$!
    wait "$clock"
    kill -USR1 "$$" 2>/dev/null
  ) >/dev/null 2>&1 &
  alarm=$!
  # ends when the scripts do, or when a trap has said why they must
  wait "$executor"
  code=$?
  # Killed by a signal: perhaps the machine is going down, and we are next.
  if [ -z "$reason" ] && [ "$code" -gt 128 ] && may_reboot; then nap 5; fi
  # The next boot goes on with it.
  [ "$reason" = down ] && { kill "$alarm" 2>/dev/null; exit 0; }
  if [ -n "$reason" ]; then
    trap '' TERM USR1
    end_group "$executor" || reason=unkillable
    [ "$reason" = timeout ] && code=124
    [ "$reason" = cancelled ] && code=143
  fi
  kill "$alarm" 2>/dev/null
  [ -e "$dir/refused" ] && reason=$(cat "$dir/refused")
  release_lane
  finish "$code" "$reason" "$(cat "$dir/current" 2>/dev/null)"
}

# Detached: neither the connection nor the agent that starts a run may end it by going away.
start() {
  mkdir "$dir/started" 2>/dev/null || return 0
  date +%s >"$dir/began"
  echo "$token $lane $timeout" >"$dir/order"
  : >>"$dir/output"
  setsid sh "$dir/runner" supervise "$token" "$lane" "$timeout" </dev/null >/dev/null 2>&1 &
}

# Was this written less than a minute ago?
is_new() { # FILE
  a_at=$(cat "$dir/$1" 2>/dev/null)
  [ $(($(date +%s) - ${a_at:-0})) -lt 60 ]
}

# In the boot after a reboot that was expected: the scripts that have not ended, in what is left of
# the time. The one that was cut off did its work by that. Fails if the time is up, or if whoever
# went on before us came to nothing.
go_on() {
  # a cancel that the machine's going down overtook
  [ -e "$dir/cancelled" ] && { finish 143 cancelled ''; return 1; }
  if ! mkdir "$dir/boot.$(boot_id)" 2>/dev/null; then
    is_new since
    return
  fi
  date +%s >"$dir/since"
  read -r token lane timeout <"$dir/order" || return 1
  cut=$(cat "$dir/current" 2>/dev/null)
  [ -n "$cut" ] && mark_ended "$cut"
  began=$(cat "$dir/began" 2>/dev/null)
  passed=$(($(date +%s) - ${began:-0}))
  # a clock that stands before the beginning knows nothing of the time between
  [ "$passed" -ge 0 ] || passed=0
  if [ "$passed" -ge "$timeout" ]; then
    finish 124 timeout "$cut"
    return 1
  fi
  rm -f "$dir/supervisor"
  setsid sh "$dir/runner" supervise "$token" "$lane" "$((timeout - passed))" </dev/null >/dev/null 2>&1 &
  return 0
}

# Is it over, or was it ended without a word (power cut, KILL)?
over() {
  # collected and removed meanwhile
  [ -d "$dir" ] || return 0
  [ -e "$dir/exit" ] && return 0
  [ -d "$dir/started" ] || return 1
  if read -r s_pid s_born s_boot 2>/dev/null <"$dir/supervisor"; then
    if [ "$s_boot" != "$(boot_id)" ]; then
      may_reboot && go_on && return 1
      [ -e "$dir/exit" ] && return 0
      finish 137 rebooted ''
      return 0
    fi
    same "$s_pid" "$s_born" && return 1
    [ -e "$dir/exit" ] && return 0
    end_orphans
    finish 137 lost ''
    return 0
  fi
  # between mkdir and the supervisor's first line: a moment, unless the machine went down in it
  is_new began || is_new since || finish 137 lost ''
  return 1
}

# The supervisor was killed; its scripts may live on.
end_orphans() {
  lane_of_run=$(grep -l "^$run " "$state"/lanes/* 2>/dev/null | head -n 1)
  [ -n "$lane_of_run" ] || return 0
  read -r h_run h_token h_sup h_sup_born h_exe h_exe_born h_boot 2>/dev/null <"$lane_of_run"
  same "$h_exe" "$h_exe_born" && end_group "$h_exe"
}

cancel() {
  if mkdir "$dir/started" 2>/dev/null; then
    finish 143 cancelled ''
    return 0
  fi
  : >"$dir/cancelled"
  until over; do
    # again and again: the first may have come before the trap was set
    if read -r s_pid s_born s_boot 2>/dev/null <"$dir/supervisor" && same "$s_pid" "$s_born"; then
      kill -TERM "$s_pid" 2>/dev/null
    fi
    nap 0.2
  done
}

# Output from a byte offset until the run is over. Naps grow while nothing is said.
follow() { # offset
  at=$1
  rest=1
  while :; do
    ended=no
    over && ended=yes
    size=$(wc -c <"$dir/output" 2>/dev/null) || size=0
    size=$((size))
    if [ "$size" -gt "$at" ]; then
      tail -c "+$((at + 1))" "$dir/output" | head -c "$((size - at))" || return 1
      at=$size
      rest=1
    elif [ "$ended" = yes ]; then
      return 0
    else
      [ "$rest" -lt 10 ] && rest=$((rest + 1))
      case $rest in 10) nap 1 ;; *) nap "0.$rest" ;; esac
    fi
  done
}

verb=${1:-}
token=${2:-0}
lane=${3:-host}
timeout=${4:-3600}
case $verb in
  start) start ;;
  supervise) supervise ;;
  execute) execute "$5" ;;
  cancel) cancel ;;
  follow) follow "${2:-0}" ;;
  over) over ;;
  *) echo "runner: start, cancel, follow or over" >&2; exit 2 ;;
esac
