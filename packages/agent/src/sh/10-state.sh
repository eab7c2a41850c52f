#!/bin/sh
# Hostwright's agent: makes this machine a node. POSIX sh (dash, bash, busybox ash) with curl or
# GNU wget; no inbound port. What it says and hears: docs/reference/agent-protocol.md.
# It must never run a run twice, never busy-loop, never let a secret into a process list, and never
# let text from the machine (serials, names) be anything but text.
set -u
umask 077
export LC_ALL=C
VERSION='@VERSION@'

state=${HOSTWRIGHT_STATE:-/var/lib/hostwright-agent}
# Where /proc, /sys and /etc are read from: another root than / lets tests make up a machine.
root=${HOSTWRIGHT_AGENT_ROOT:-}

say() { printf 'hostwright-agent: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
now() { date +%s; }
nap() { sleep "$1" 2>/dev/null || sleep 1; }
is_number() { case $1 in '' | *[!0-9]*) return 1 ;; *) [ ${#1} -le 18 ] ;; esac; }

# Seconds to wait after so many failures in a row: 1, 2, 4 ... 60, each plus up to as much again by
# chance, so that a fleet does not come back in step.
backoff() {
  b_most=60
  b_wait=1
  b_left=$1
  while [ "$b_left" -gt 1 ] && [ "$b_wait" -lt "$b_most" ]; do
    b_wait=$((b_wait * 2))
    b_left=$((b_left - 1))
  done
  [ "$b_wait" -gt "$b_most" ] && b_wait=$b_most
  b_chance=$(od -An -N2 -tu2 /dev/urandom 2>/dev/null | tr -d ' ')
  b_wait=$((b_wait + ${b_chance:-0} % (b_wait + 1)))
  sleep "$b_wait" &
  child=$!
  wait "$child"
}

boot_id() { cat "$root/proc/sys/kernel/random/boot_id" 2>/dev/null; }

# A pid alone may be somebody else's by now: with its start time it is that process or none.
born() {
  if ! b_stat=$(cat "/proc/$1/stat" 2>/dev/null); then return 1; fi
  b_stat=${b_stat##*) }
  # shellcheck disable=SC2086 # to be split
  set -- $b_stat
  [ "$1" = Z ] && return 1
  shift 19
  echo "$1"
}
same() { is_number "$1" && [ -n "$2" ] && [ "$(born "$1")" = "$2" ]; }

put() { # FILE: stdin, all or nothing
  cat >"$1.new" && mv "$1.new" "$1"
}
