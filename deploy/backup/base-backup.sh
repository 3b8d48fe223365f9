#!/usr/bin/env bash
# deploy/backup/base-backup.sh DIRECTORY: the whole PostgreSQL server into DIRECTORY/base-<time in UTC>/, with pg_basebackup.
# docs/operations/back-up.md says how to use it.
set -euo pipefail
. "$(dirname "$0")/databases.sh"

[ $# -eq 1 ] || { echo "usage: deploy/backup/base-backup.sh DIRECTORY" >&2; exit 2; }
directory=$1/base-$(date -u +%Y%m%dT%H%M%SZ)
part=$directory.part
umask 077
mkdir -p "$1"
mkdir "$part"
# Includes the part of the log that it needs, so that it can be restored without the archive. Writes to standard output, because
# `RUN` may be on another machine.
$RUN pg_basebackup --pgdata=- --format=tar --gzip --wal-method=fetch --checkpoint=fast \
  --dbname="${REPLICATION_URL:-postgresql:///postgres?user=postgres}" >"$part/base.tar.gz"
tar --list --gzip --file="$part/base.tar.gz" >/dev/null
mv "$part" "$directory"
echo "$directory"
