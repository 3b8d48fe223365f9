#!/usr/bin/env bash
# deploy/backup/end-recovery.sh: waits until a PostgreSQL that restore-base.sh has unpacked has replayed its archive and takes writes
# again, then does what restore.sh does last. docs/operations.md, "Restore" says how to use it.
set -euo pipefail
. "$(dirname "$0")/databases.sh"

# It refuses sessions for the first part of its log, and ends where it cannot come to the time that was asked for.
is_recovering() {
  local status=0 text
  # A container that does not run ends with 1, as a server that refuses sessions does; only the server says so.
  text=$($RUN pg_isready --dbname="$(url_of identity)") || status=$?
  [ $status -ge 2 ] || [ -z "$text" ] || until=$((SECONDS + 60))
  [ $SECONDS -lt $until ] || { echo "PostgreSQL does not respond: its log says why" >&2; exit 1; }
  [ $status -ne 0 ] || [ "$(sql identity -c 'SELECT pg_is_in_recovery()')" != f ]
}
until=$((SECONDS + 60))
while is_recovering; do sleep 1; done
skip_numbers
echo "recovered. Next: business-service and webhook-service, then finish (docs/operations.md, Restore)"
