#!/usr/bin/env bash
# deploy/backup/backup.sh DIRECTORY: the databases of all services into DIRECTORY/<time in UTC>/, with pg_dump.
# docs/operations/back-up.md says how to use it.
set -euo pipefail
. "$(dirname "$0")/databases.sh"

[ $# -eq 1 ] || { echo "usage: deploy/backup/backup.sh DIRECTORY" >&2; exit 2; }
directory=$1/$(date -u +%Y%m%dT%H%M%SZ)
part=$directory.part
umask 077
mkdir -p "$1"
mkdir "$part"
# Dumps identity-service first, so that the later dumps contain everything that it refers to.
for name in $databases; do
  $RUN pg_dump --format=custom --dbname="$(url_of "$name")" >"$part/$name.dump"
  # Reads the table of contents, so that a truncated file fails now and not at its restore.
  $RUN pg_restore --list <"$part/$name.dump" >/dev/null
done
# A backup without .part is complete.
mv "$part" "$directory"
echo "$directory"
