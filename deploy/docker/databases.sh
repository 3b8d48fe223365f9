# Each service gets a role and a database of its own. Runs by itself when the PostgreSQL volume is empty; after an upgrade by hand
# (docs/operations.md), and then makes only what is missing.
for service in identity business webhook; do
  case $service in
    identity) password=${IDENTITY_DATABASE_PASSWORD:-$(cat /run/secrets/IDENTITY_DATABASE_PASSWORD)} ;;
    business) password=${BUSINESS_DATABASE_PASSWORD:-$(cat /run/secrets/BUSINESS_DATABASE_PASSWORD)} ;;
    webhook) password=${WEBHOOK_DATABASE_PASSWORD:-$(cat /run/secrets/WEBHOOK_DATABASE_PASSWORD)} ;;
  esac
  psql -v ON_ERROR_STOP=1 -v name="$service" -v password="$password" -U "$POSTGRES_USER" -d postgres <<'SQL'
SELECT format('CREATE ROLE %I LOGIN PASSWORD %L', :'name', :'password')
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'name') \gexec
SELECT format('CREATE DATABASE %I OWNER %I', :'name', :'name')
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'name') \gexec
SQL
done
