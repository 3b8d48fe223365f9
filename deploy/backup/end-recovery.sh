#!/usr/bin/env bash
# deploy/backup/end-recovery.sh: waits until PostgreSQL, unpacked by restore-base.sh, has replayed its archive and accepts writes,
# then runs the last step of restore.sh. docs/operations/restore.md says how to use it.
set -euo pipefail
. "$(dirname "$0")/databases.sh"

# PostgreSQL refuses sessions during the first part of the replay, and exits if it cannot reach the requested time.
is_recovering() {
  local status=0 text
  # Exit code 1 means a stopped container or a server that refuses sessions. Only the latter prints a text.
  text=$($RUN pg_isready --dbname="$(url_of identity)") || status=$?
  if [ $status -ge 2 ] || [ -z "$text" ]; then
    ends=$((ends + responded)) responded=0
  else
    until=$((SECONDS + 60)) responded=1
  fi
  # Docker restarts PostgreSQL, so several exits are counted.
  [ $ends -lt 3 ] || { echo "PostgreSQL ends again and again: its log says why" >&2; exit 1; }
  [ $SECONDS -lt $until ] || { echo "PostgreSQL does not respond: its log says why" >&2; exit 1; }
  [ $status -ne 0 ] || [ "$(sql identity -c 'SELECT pg_is_in_recovery()')" != f ]
}
echo "waiting for PostgreSQL to replay its archive" >&2
until=$((SECONDS + 60)) ends=0 responded=0
while is_recovering; do sleep 1; done
skip_numbers
last=$(sql identity -c 'SELECT pg_last_xact_replay_timestamp()')
echo "recovered; the last change is of ${last:-the base backup}. Next: business-service and webhook-service, then finish (docs/operations/restore.md)"
