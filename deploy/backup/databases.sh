# Functions of backup.sh and restore.sh.
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
