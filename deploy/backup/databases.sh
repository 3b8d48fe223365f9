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
# and not those of events and orders, which readers have as their position. They go on at what the clock says, since a restore does not
# know of those after an earlier one: a business a second since 2026 (in 32 bits until 2094), a thousand events, ten orders.
skip_numbers() {
  sql business <<'SQL' >/dev/null
BEGIN;
CREATE FUNCTION pg_temp.beyond(last bigint, per_second int) RETURNS bigint LANGUAGE sql AS $$
  SELECT CASE WHEN last < line THEN line ELSE last + 1000000 END
  FROM (SELECT (extract(epoch FROM now() - timestamptz '2026-01-01 00:00+00') * per_second)::bigint AS line) clock
$$;
SELECT setval(name, pg_temp.beyond(greatest(max(id), pg_sequence_last_value(name::regclass), 0), 1))
  FROM pg_get_serial_sequence('businesses', 'id') AS name LEFT JOIN businesses ON true GROUP BY name;
UPDATE business_counters SET last_event_sequence = pg_temp.beyond(last_event_sequence, 1000),
  last_order_number = pg_temp.beyond(last_order_number, 10);
COMMIT;
SQL
}
