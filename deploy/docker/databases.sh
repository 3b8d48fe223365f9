# Runs once, when the PostgreSQL volume is empty: each service gets a role and a database of its own.
for service in identity business webhook; do
  case $service in
    identity) password=$IDENTITY_DATABASE_PASSWORD ;;
    business) password=$BUSINESS_DATABASE_PASSWORD ;;
    webhook) password=$WEBHOOK_DATABASE_PASSWORD ;;
  esac
  psql -v ON_ERROR_STOP=1 -v name="$service" -v password="$password" -U "$POSTGRES_USER" -d postgres <<'SQL'
CREATE ROLE :"name" LOGIN PASSWORD :'password';
CREATE DATABASE :"name" OWNER :"name";
SQL
done
