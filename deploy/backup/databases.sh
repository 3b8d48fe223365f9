# Functions of the scripts beside it.
# RUN: how PostgreSQL's programs are run, as "docker compose exec -T postgres"; by themselves when it is empty.
RUN=${RUN:-}
databases="identity business ${WEBHOOKS-webhook}"

# url_of NAME: <NAME>_DATABASE_URL, or the database of docker-compose.yml. Passwords belong in PGPASSFILE: arguments are seen by all.
url_of() {
  local variable
  variable=$(tr '[:lower:]' '[:upper:]' <<<"$1")_DATABASE_URL
  echo "${!variable:-postgresql:///$1?user=postgres}"
}

# sql NAME [ARGUMENTS]: psql on the database of a service.
sql() {
  local name=$1
  shift
  $RUN psql -v ON_ERROR_STOP=1 -qtAX --dbname="$(url_of "$name")" "$@"
}

# skip_numbers: gives numbers that were given out after the backup to nothing else: not those of businesses, which keys and gateways know,
# and not those of events and orders, which readers have as their position.
skip_numbers() {
  sql business <<'SQL' >/dev/null
SELECT setval(pg_get_serial_sequence('businesses', 'id'), coalesce(max(id), 0) + 1000000) FROM businesses;
UPDATE business_counters SET last_event_sequence = last_event_sequence + 1000000, last_order_number = last_order_number + 1000000;
SQL
}
