# Creates a database for each service and a role that owns it. identity-service and business-service run as another role, which
# owns nothing; only migrations run as the owner. Runs automatically when the PostgreSQL volume is empty, and by hand after an
# upgrade (docs/operations/upgrade.md), when it creates what is missing. POSIX shell, because the entrypoint of the image
# sources it.
set -e

as_administrator() {
  psql -q -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$@"
}

# make_role NAME SECRET: a role with the password in the variable SECRET, or in the file of a secret.
make_role() {
  ROLE_PASSWORD=$(printenv "$2" || cat "/run/secrets/$2")
  # Passed by the environment, because all users of the machine can see arguments. \getenv needs psql 14.
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

# let_run NAME: lets NAME_runner use the present and future tables of NAME.
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
