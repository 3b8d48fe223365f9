#!/usr/bin/env bash
# deploy/backup/restore.sh DIRECTORY: restores the databases from a backup, also into the empty databases of a new volume. Starts
# PostgreSQL if it does not run, and waits for it. Stop every service first, then follow docs/operations/restore.md: what was
# revoked since the backup must be revoked again before identity-service starts.
set -euo pipefail
. "$(dirname "$0")/databases.sh"

[ $# -eq 1 ] || { echo "usage: deploy/backup/restore.sh DIRECTORY" >&2; exit 2; }
for name in $databases; do
  [ -f "$1/$name.dump" ] || { echo "$1/$name.dump is missing: this is no complete backup" >&2; exit 1; }
done
await_postgres
# users_of NAME: the sessions in the database of a service, by their names and addresses.
users_of() {
  sql "$1" <<'SQL'
SELECT string_agg(coalesce(nullif(application_name, ''), 'unnamed') || coalesce(' at ' || host(client_addr), ''), ', ')
FROM pg_stat_activity
-- The type of a session is shown to its own role alone, and a service has a role of its own; a session without a role is no client's.
WHERE datname = current_database() AND pid <> pg_backend_pid() AND coalesce(backend_type, 'client backend') = 'client backend'
  AND usesysid IS NOT NULL;
SQL
}
# Sessions exist for a moment after their process has ended.
until=$((SECONDS + 10))
for name in $databases; do
  users=$(users_of "$name")
  while [ -n "$users" ]; do
    [ $SECONDS -lt $until ] || { echo "the database of $name is in use by $users: stop every service first" >&2; exit 1; }
    sleep 0.5
    users=$(users_of "$name")
  done
done
for name in $databases; do
  # Keeps owner and rights of the schema, which dumps do not contain and the role of the service needs.
  sql "$name" <<'SQL' >/dev/null
SET client_min_messages = warning;
SELECT quote_ident(pg_get_userbyid(nspowner)) AS owner, (
    SELECT string_agg(format('GRANT %s ON SCHEMA public TO %s', privilege_type,
      CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END), '; ')
    FROM aclexplode(coalesce(nspacl, acldefault('n', nspowner)))) AS rights
  FROM pg_namespace WHERE nspname = 'public' \gset
BEGIN;
SELECT format('DROP SCHEMA %I CASCADE', nspname) FROM pg_namespace
  WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' \gexec
CREATE SCHEMA public AUTHORIZATION :owner;
:rights;
COMMIT;
SQL
  $RUN pg_restore --exit-on-error --single-transaction ${PG_RESTORE_FLAGS:-} --dbname="$(url_of "$name")" <"$1/$name.dump"
done
skip_numbers
echo "restored. Next: business-service and webhook-service, then finish (docs/operations/restore.md)"
