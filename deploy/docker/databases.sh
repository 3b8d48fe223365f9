# Each service gets a database, and a role that owns it. identity-service and business-service run as another role, which owns nothing:
# the owner migrates. Runs by itself when the PostgreSQL volume is empty; after an upgrade by hand (docs/operations/upgrade.md), and then makes
# only what is missing. For every POSIX shell: the entrypoint of the image reads it.
set -e

as_administrator() {
  psql -q -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$@"
}

# make_role NAME SECRET: a role with the password in the variable SECRET, or in the file of a secret.
make_role() {
  ROLE_PASSWORD=$(printenv "$2" || cat "/run/secrets/$2")
  # Arguments are seen by everyone on the machine. \getenv needs psql 14.
  export ROLE_PASSWORD
  as_administrator postgres -v name="$1" <<'SQL'
\getenv password ROLE_PASSWORD
SELECT format('CREATE ROLE %I LOGIN PASSWORD %L', :'name', :'password')
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'name') \gexec
SQL
  unset ROLE_PASSWORD
}

# make_database NAME: owned by the role of its name.
make_database() {
  as_administrator postgres -v name="$1" <<'SQL'
SELECT format('CREATE DATABASE %I OWNER %I', :'name', :'name')
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'name') \gexec
SQL
}

# let_run NAME: NAME_runner may use what NAME owns, and what it will make.
let_run() {
  as_administrator "$1" -v owner="$1" -v runner="$1_runner" <<'SQL'
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO :"runner";
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO :"runner";
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO :"runner";
ALTER DEFAULT PRIVILEGES FOR ROLE :"owner" GRANT USAGE ON SEQUENCES TO :"runner";
SQL
}

for service in identity business webhook; do
  upper=$(echo "$service" | tr '[:lower:]' '[:upper:]')
  make_role "$service" "${upper}_DATABASE_PASSWORD"
  make_database "$service"
  [ "$service" != webhook ] || continue
  make_role "${service}_runner" "${upper}_RUNNER_PASSWORD"
  let_run "$service"
done
