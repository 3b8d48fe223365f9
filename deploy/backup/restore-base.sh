#!/usr/bin/env bash
# deploy/backup/restore-base.sh BACKUP DATA [TIME]: unpacks a backup of base-backup.sh into DATA, the empty or missing data
# directory of a stopped PostgreSQL. Its next start replays the archive, to its end or to TIME ("2026-11-22 03:00:00+00").
# Run it as PostgreSQL's user.
set -euo pipefail
RUN=${RUN:-}

[ $# -eq 2 ] || [ $# -eq 3 ] || { echo "usage: deploy/backup/restore-base.sh BACKUP DATA [TIME]" >&2; exit 2; }
[ -f "$1/base.tar.gz" ] || { echo "$1/base.tar.gz is missing: this is no complete backup" >&2; exit 1; }
label=$(tar --extract --gzip --to-stdout --occurrence=1 --file="$1/base.tar.gz" backup_label)
first=$(sed -n 's/^START WAL LOCATION: .* (file \([0-9A-F]*\))$/\1/p' <<<"$label")
[ -n "$first" ] || { echo "$1/base.tar.gz does not say where its log begins" >&2; exit 1; }
$RUN bash -s -- "$2" "${3:-}" "${ARCHIVE:-/archive}" "$first" <<'SCRIPT'
set -euo pipefail
[ -e "$3/$4.gz" ] || { echo "$3/$4.gz, with which this backup begins, is missing: is this the archive, and its disk mounted?" >&2; exit 1; }
[ -z "${2}" ] || date --date="$2" >/dev/null
umask 077
mkdir -p "$1"
[ -z "$(ls -A "$1")" ] || { echo "$1 is not empty" >&2; exit 1; }
SCRIPT
$RUN tar --extract --gzip --directory="$2" <"$1/base.tar.gz"
$RUN bash -s -- "$2" "${3:-}" "${ARCHIVE:-/archive}" "$first" <<'SCRIPT'
set -euo pipefail
# Verifies every file by its checksum.
pg_verifybackup --quiet "$1"
# PostgreSQL takes exit code 1 for the end of the archive and then accepts writes. Only a code above 125 makes it stop.
cat >>"$1/postgresql.auto.conf" <<CONF
restore_command = 'test -e "$3/$4.gz" || { echo "$3/$4.gz is missing: is the disk mounted?" >&2; exit 200; }; test -e "$3/%f.gz" || exit 1; gunzip --stdout "$3/%f.gz" >"%p" || { echo "$3/%f.gz cannot be unpacked" >&2; exit 200; }'
recovery_target_action = 'promote'
recovery_target_time = '$2'
CONF
touch "$1/recovery.signal"
SCRIPT
echo "unpacked. Next: start PostgreSQL, then deploy/backup/end-recovery.sh (docs/operations/restore.md)"
