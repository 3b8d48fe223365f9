#!/usr/bin/env bash
# deploy/backup/archive-wal.sh FILE TARGET: PostgreSQL's archive_command, as `archive-wal.sh %p /archive/%f.gz`. TARGET is either
# complete or missing, even after a full disk or a crash. A missing directory is not created, because its disk may be unmounted.
set -euo pipefail

[ $# -eq 2 ] || { echo "usage: deploy/backup/archive-wal.sh FILE TARGET" >&2; exit 2; }
if [ -e "$2" ]; then
  # PostgreSQL archives a file again if it crashed before it could record the success.
  gunzip --stdout "$2" | cmp --silent - "$1" || { echo "$2 exists with other content: is this another server's archive?" >&2; exit 1; }
  exit 0
fi
umask 077
gzip --fast --stdout "$1" >"$2.part"
sync "$2.part"
mv "$2.part" "$2"
sync "$(dirname "$2")"
