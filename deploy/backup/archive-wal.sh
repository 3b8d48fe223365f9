#!/usr/bin/env bash
# deploy/backup/archive-wal.sh FILE TARGET: PostgreSQL's archive_command, as `archive-wal.sh %p /archive/%f.gz`. TARGET is there
# whole or not at all, also after a full disk or a crash. A directory that is gone is not made: it may be a disk that is missing.
set -euo pipefail

[ $# -eq 2 ] || { echo "usage: deploy/backup/archive-wal.sh FILE TARGET" >&2; exit 2; }
if [ -e "$2" ]; then
  # PostgreSQL asks again for a file when it crashed before it had noted the success.
  gunzip --stdout "$2" | cmp --silent - "$1" || { echo "$2 exists with other content: is this another server's archive?" >&2; exit 1; }
  exit 0
fi
umask 077
gzip --fast --stdout "$1" >"$2.part"
sync "$2.part"
mv "$2.part" "$2"
sync "$(dirname "$2")"
