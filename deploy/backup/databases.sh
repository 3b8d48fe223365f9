# Functions of the scripts beside it.
# RUN: command prefix for PostgreSQL's programs, such as "docker compose exec -T postgres". Empty to run them directly.
RUN=${RUN:-}
databases="identity business ${WEBHOOKS-webhook}"
# START: command that starts PostgreSQL if it does not respond. Derived from RUN if that is a Compose command.
case $RUN in *compose*' exec '*) START=${START:-${RUN%% exec *} up -d --no-deps ${RUN##* }} ;; esac

# url_of NAME: <NAME>_DATABASE_URL, or the database of docker-compose.yml. Put passwords into PGPASSFILE, because all users of
# the machine can see arguments.
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

responds() {
  # For a new volume, the image creates the databases with a temporary server that only listens on its socket.
  case $RUN$(url_of "$1") in ?*postgresql:///*) $RUN pg_isready -h 127.0.0.1 || return ;; esac
  sql "$1" -c 'SELECT 1' >/dev/null
}

# await_postgres: starts PostgreSQL if it does not respond, and waits until every database can be used.
await_postgres() {
  local name said shown='' started='' until=$((SECONDS + 120))
  for name in $databases; do
    until said=$(responds "$name" 2>&1 </dev/null); do
      if [ -z "$started" ] && [ -n "${START:-}" ]; then
        echo "PostgreSQL does not respond, and is started: $START" >&2
        $START >&2 || { echo "PostgreSQL cannot be started: $START" >&2; exit 1; }
      fi
      started=1
      said=$(tail -n 1 <<<"$said")
      [ "$said" = "$shown" ] || echo "waiting for the database of $name: ${said:-no response}" >&2
      shown=$said
      [ $SECONDS -lt $until ] || { echo "the database of $name does not respond: the log of PostgreSQL says why" >&2; exit 1; }
      sleep 1
    done
  done
}

# skip_numbers: prevents numbers that were assigned after the backup from being assigned again: those of businesses, which keys
# and gateways know, and those of events and orders, which readers use as positions. The next numbers derive from the clock,
# because a restore does not know which ones were assigned after an earlier restore: per second since 2026 one business (fits
# into 32 bits until 2094), a thousand events and ten orders.
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
