#!/usr/bin/env bash
# Builds and starts the platform in containers as the README says, uses it from outside, and removes it again:
#   deploy/docker/smoke.sh
# Needs Docker with Compose (v2, or docker-compose 1.29), openssl and curl. It works in a copy of this checkout, under a
# project name and a port of its own: .env, .docker and a running platform stay as they are.
#   SMOKE_BUILD_NETWORK=host   builds use the host's network (classic builder, or a registry on this machine)
#   SMOKE_PORT=8099            published port; a free one where absent
#   SMOKE_WITHOUT=grafana      leaves out services of --profile observability whose image this machine cannot have
# Prints `ok …` or `failed …` for each step and a closing line; stops at the first failure and exits 1.
set -uo pipefail
cd "$(dirname "$0")/../.."

readonly checkout=$PWD
readonly services=(business-service identity-service webhook-service gateway)
# Seconds until everything must be healthy, and until a call must succeed after a disturbance.
readonly healthy_within=180 recovered_within=40
copy=$(mktemp -d)
readonly copy project="platform-smoke-$$"
source deploy/docker/smoke-profiles.sh
steps=0

if docker compose version >/dev/null 2>&1; then compose=(docker compose); else compose=(docker-compose); fi

run_compose() { (cd "$copy" && "${compose[@]}" "$@"); }

# step <text> <command…>: runs the command and prints the result. Shows its output only if it failed.
step() {
  local text=$1 output started=$SECONDS
  shift
  if output=$("$@" 2>&1); then
    steps=$((steps + 1))
    printf 'ok %s (%s s)\n' "$text" "$((SECONDS - started))"
    return
  fi
  printf 'failed %s\n' "$text"
  sed 's/^/    /' <<<"$output" | tail -n 40
  show_state | sed 's/^/    /'
  printf 'The smoke test failed after %s steps that were ok.\n' "$steps"
  exit 1
}

show_state() {
  run_compose ps
  run_compose logs --tail=15 "${services[@]}" front
}

clean_up() {
  run_compose --profile observability --profile canary down -v --remove-orphans >/dev/null 2>&1
  remove_images >/dev/null 2>&1
  rm -rf "$copy"
}

remove_images() { docker image ls --format '{{.Repository}}:{{.Tag}}' --filter "reference=$project/*" | xargs -r docker image rm; }

free_port() {
  local port
  while port=$((20000 + RANDOM % 10000)); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

# Copies the checkout as a new user with a strict umask would have it.
copy_checkout() {
  tar -C "$checkout" --exclude=./.git --exclude=node_modules --exclude=dist --exclude=generated --exclude=./.local \
    --exclude=./.env --exclude=./.docker -cf - . | tar -C "$copy" -xf - && chmod -R go-rwx "$copy" || return
  {
    echo 'services:'
    for service in "${services[@]}" identity-migration business-migration front canary; do
      printf '  %s: { build: { network: %s } }\n' "$service" "${SMOKE_BUILD_NETWORK:-default}"
    done
  } >"$copy/smoke.override.yml"
}

# A second run changes nothing. A secret in .env, as an earlier version wrote it, moves to a file.
makes_secrets() {
  printf '%s\n' SMTP_URL=smtp://127.0.0.1:2525 "COMPOSE_PROJECT_NAME=$project" "IMAGES=$project" \
    COMPOSE_FILE=docker-compose.yml:smoke.override.yml:deploy/backup/archive.yml "WAL_ARCHIVE=$copy/archive" >"$copy/.env"
  # For the user of PostgreSQL in the image.
  mkdir -m 777 "$copy/archive"
  "$copy/deploy/docker/init.sh" || return
  [ "$(cat "$copy/.docker/secrets/SMTP_URL")" = smtp://127.0.0.1:2525 ] && ! grep -q SMTP_URL "$copy/.env" || return
  (cd "$copy" && find .docker -type f -exec sha256sum {} + | sort >made) && "$copy/deploy/docker/init.sh" &&
    (cd "$copy" && find .docker -type f -exec sha256sum {} + | sort | cmp - made)
}

containers() { docker ps -q --filter "label=com.docker.compose.project=$project" --filter "label=com.docker.compose.service=$1"; }
healths() { docker inspect -f '{{if .State.Health}}{{.State.Health.Status}}{{end}}' $(containers "$1"); }

await_healthy() {
  local service deadline=$((SECONDS + healthy_within))
  for service in "$@"; do
    until [ -n "$(containers "$service")" ] && ! healths "$service" | grep -qv '^healthy$'; do
      [ "$SECONDS" -lt "$deadline" ] || { echo "$service is $(healths "$service")"; return 1; }
      sleep 1
    done
  done
}

# expect <status> <curl arguments…>: one request through the published port.
expect() {
  local wanted=$1 got
  shift
  : >"$copy/response"
  got=$(curl -sS --cacert "$copy/.docker/public-certificate.pem" -o "$copy/response" -w '%{http_code}' --max-time 10 "$@" 2>"$copy/response.error") ||
    cat "$copy/response.error" >>"$copy/response"
  [ "$got" = "$wanted" ] && return
  echo "$got instead of $wanted: $(head -c 400 "$copy/response")"
  return 1
}

call() { expect "$1" -H "Authorization: Bearer $2" "$origin/v2/businesses/me"; }

# Recovery is bounded, not instant: clients connect again.
recovers() {
  local deadline=$((SECONDS + recovered_within))
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.2
  done
}

# Selects a container by its id, because replaced replicas need not have the number 1.
within() { docker exec "$(containers "$1" | head -n 1)" "${@:2}"; }
admin() { within identity-service node identity-service/src/admin/main.ts "$@" --json; }
field() { sed -n "s/^ *\"$1\": *\"\{0,1\}\([^\",]*\).*/\1/p" | head -n 1; }

make_business() {
  admin business create --account-holder 'Smoke Ltd' --username smoke >"$copy/business" || return
  business=$(field id <"$copy/business")
  admin business verify --business "$business" --legal-name 'Smoke Limited' --registration-number 'HRB 1' --country DE
}

# Leaves the key's string in the file `key`.
make_key() {
  admin key create --business "$(field id <"$copy/business")" --name smoke --type secret >"$copy/made" &&
    field keyString <"$copy/made" >"$copy/key" && [ -s "$copy/key" ]
}

documents_this_address() { expect 200 "$origin/docs/openapi.json" && grep -q "\"url\":\"$origin\"" "$copy/response"; }
new_key_works() { make_key && call 200 "$(cat "$copy/key")"; }

# Neither `docker inspect` nor the list of processes shows a secret.
hides_secrets() {
  local secret found=0
  docker inspect $(run_compose ps -q) >"$copy/inspected" && ps axww >>"$copy/inspected" || return
  for secret in "$copy"/.docker/secrets/*; do
    case $secret in *_PUBLIC_KEYS | */SMTP_URL) continue ;; esac
    if grep -qF "$(cat "$secret")" "$copy/inspected"; then echo "${secret##*/} is shown"; found=1; fi
  done
  return $found
}

# reaches <service> <host> <port>: whether the service's container can connect.
reaches() { within "$1" timeout 3 bash -c "exec 3<>/dev/tcp/$2/$3"; }
networks_are_apart() {
  reaches gateway redis 6379 && reaches identity-service postgres 5432 || return
  ! reaches gateway postgres 5432 && ! reaches business-service redis 6379 && ! reaches webhook-service redis 6379 &&
    ! reaches webhook-service gateway 8080 && reaches front gateway 8080 && ! reaches front identity-service 3000
}

# The front speaks HTTP/2, the gateway trusts it (HSTS), and the client cannot forge its address.
front_terminates_tls() {
  local version address
  version=$(curl -s --cacert "$copy/.docker/public-certificate.pem" -D "$copy/head" -o /dev/null -w '%{http_version}' \
    -H 'X-Forwarded-For: 192.0.2.77' "$origin/v2/businesses/me")
  [ "$version" = 2 ] && grep -qi '^strict-transport-security:' "$copy/head" || return
  ! run_compose logs gateway | grep -q 192.0.2.77
}

# load <command…>: sends requests while the command runs, and fails if one of them does not end with 200.
load() {
  local failed=0 sent=0 key job
  # Uses a new key, because all loads together send more requests than one key may send in an hour.
  make_key || return
  key=$(cat "$copy/key")
  "$@" >"$copy/meanwhile" 2>&1 &
  job=$!
  while kill -0 "$job" 2>/dev/null; do
    sent=$((sent + 1))
    call 200 "$key" >>"$copy/load" || failed=$((failed + 1))
  done
  wait "$job" || { cat "$copy/meanwhile"; return 1; }
  echo "$failed of $sent requests failed: $(tail -n 3 "$copy/load")"
  [ "$failed" = 0 ] && [ "$sent" -gt 5 ]
}

# Upgrades to images of a new version, and goes back to the previous ones.
upgrades() { "$copy/deploy/docker/upgrade.sh"; }
goes_back() {
  local version
  version=$(sed -n 's/^VERSION_BEFORE=//p' "$copy/.env")
  "$copy/deploy/docker/upgrade.sh" --back && docker inspect -f '{{.Config.Image}}' $(containers gateway) | sort -u | grep -qx "$project/gateway:$version"
}
restarts_replicas() { "$copy/deploy/docker/upgrade.sh" --restart identity-service business-service; }

more_gateways() {
  run_compose up -d --no-recreate --no-build --scale gateway=3 && await_healthy gateway && [ "$(containers gateway | wc -l)" = 3 ] &&
    sleep 3 && run_compose up -d --no-recreate --no-build --scale gateway=2
}

serial() { openssl s_client -connect "localhost:$PORT" </dev/null 2>/dev/null | openssl x509 -noout -serial; }
renews_public_certificate() {
  local before
  before=$(serial)
  # Clients trust the old and the new certificate. Writes into the same file, because the container has mounted the file itself.
  (source "$copy/deploy/docker/secrets.sh" && public_certificate localhost) >"$copy/renewed" &&
    openssl x509 -in "$copy/renewed" >>"$copy/.docker/public-certificate.pem" &&
    cat "$copy/renewed" >"$copy/.docker/secrets/PUBLIC_CERTIFICATE" &&
    run_compose exec -T front bash -c 'kill -USR2 1' && recovers serial_is_not "$before" && call 200 "$(cat "$copy/key")"
}
serial_is_not() { [ "$(serial)" != "$1" ]; }

# Submits the login form with a wrong password. The refusal proves that password hashing works.
wrong_password() {
  expect 200 -c "$copy/cookies" "$origin/login" || return
  local csrf
  csrf=$(sed -n 's/.*name="\(_csrf\|csrf[^"]*\)" value="\([^"]*\)".*/\1=\2/p' "$copy/response" | head -n 1)
  expect 400 -b "$copy/cookies" -H "Origin: $origin" --data-urlencode "$csrf" -d 'email=ada@example.com' \
    -d 'password=seven brass wheels' "$origin/login"
}

restart() {
  run_compose restart "$1" && await_healthy "$1" gateway front && recovers new_key_works && recovers expect 200 "$origin/login"
}

# The platform works without either of the two replicas.
one_of_two() {
  local id
  for id in $(containers business-service); do
    docker stop -t 40 "$id" && recovers new_key_works && docker start "$id" && await_healthy business-service || return
  done
}

without_redis() { run_compose stop redis && recovers new_key_works && call 401 "sk_wrong"; }
with_redis_again() { run_compose start redis && await_healthy redis && recovers new_key_works; }

renew_certificates() {
  rm -r "$copy/.docker/tls" && "$copy/deploy/docker/init.sh" && run_compose restart "${services[@]}" &&
    await_healthy "${services[@]}" && recovers new_key_works && recovers expect 200 "$origin/login"
}

ends_by_itself() {
  local service code
  local ids=()
  for service in "${services[@]}" front; do ids+=($(containers "$service")); done
  run_compose stop front "${services[@]}" || return
  for service in "${ids[@]}"; do
    code=$(docker inspect -f '{{.State.ExitCode}}' "$service")
    [ "$code" = 0 ] || { echo "$service ended with $code"; return 1; }
  done
}

# Containers and networks are removed, the volume is kept.
starts_again() {
  local key
  key=$(cat "$copy/key")
  run_compose down && run_compose up -d && await_healthy postgres redis "${services[@]}" front && recovers call 200 "$key"
}

# Tables belong to the role of migrations and not to that of the service, even after a restore.
owns_nothing() {
  run_compose exec -T postgres psql -U postgres -d identity -qtAXc "SELECT tableowner FROM pg_tables WHERE schemaname = 'public'" |
    sort -u | grep -qx identity || return
  ! within identity-service sh -c 'grep -q identity_runner /run/secrets/IDENTITY_RUNNER_URL && ls /run/secrets/IDENTITY_DATABASE_URL'
}

# Simulates a disaster in which the volume of PostgreSQL is lost.
loses_postgres() {
  run_compose stop front gateway webhook-service identity-service business-service && run_compose rm -sf postgres &&
    docker volume rm "${project}_postgres"
}

# The last commands of docs/operations/restore.md.
finishes_restore() {
  run_compose up -d --no-deps business-service && run_compose up -d --no-deps redis webhook-service && await_healthy business-service || return
  # Repeated, because it needs webhook-service, which may not be ready yet.
  recovers run_compose run --rm --no-deps -T identity-service node identity-service/src/restore/main.ts || return
  run_compose up -d --no-deps identity-service && run_compose up -d --no-deps gateway front && await_healthy "${services[@]}" front
}

# After a restore, a key that was deleted since the backup is refused, and another one works.
restores_a_backup() {
  local kept deleted backup
  make_key && deleted=$(cat "$copy/key") && id=$(field id <"$copy/made") && make_key && kept=$(cat "$copy/key") || return
  cd "$copy" && export RUN="${compose[*]} exec -T postgres" && backup=$(deploy/backup/backup.sh backups) || return
  admin key delete --business "$(field id <business)" --key "$id" && sleep 3 || return
  # A new server begins with file names that the archive has.
  loses_postgres && mv archive archive-before && mkdir -m 777 archive && deploy/backup/restore.sh "$backup" &&
    run_compose run --rm --no-deps business-migration && run_compose run --rm --no-deps identity-migration && finishes_restore &&
    recovers call 200 "$kept" && call 401 "$deleted" && owns_nothing
}

sql() { run_compose exec -T postgres psql -U postgres -qtAXc "$1"; }
is_archived() { [ "$(sql "SELECT last_archived_wal >= '$1' FROM pg_stat_archiver")" = t ]; }

# A key that was created after the base backup works, because the archive contains it.
recovers_from_the_log() {
  local base last data=/var/lib/postgresql/18/docker unpack
  cd "$copy" && export RUN="${compose[*]} exec -T postgres" && base=$(deploy/backup/base-backup.sh backups) && make_key || return
  last=$(sql 'SELECT pg_walfile_name(pg_switch_wal())') && recovers is_archived "$last" || return
  unpack="${compose[*]} run --rm -T --no-deps --user postgres --entrypoint env postgres"
  loses_postgres && RUN=$unpack deploy/backup/restore-base.sh "$base" $data && run_compose up -d --no-deps postgres &&
    deploy/backup/end-recovery.sh && finishes_restore && recovers call 200 "$(cat key)"
}

comes_down() {
  run_compose --profile observability --profile canary down -v && remove_images || return
  [ -z "$(docker ps -aq --filter "label=com.docker.compose.project=$project")" ] &&
    [ -z "$(docker volume ls -q --filter "label=com.docker.compose.project=$project")" ]
}

# A function, so that the script can be edited while it runs.
main() {
  trap clean_up EXIT
  trap 'exit 1' INT TERM
  PORT=${SMOKE_PORT:-$(free_port)}
  origin="https://localhost:$PORT"
  PROMETHEUS_PORT=$(free_port) GRAFANA_PORT=$(free_port)
  export PORT PUBLIC_URL="$origin" PROMETHEUS_PORT GRAFANA_PORT

  step 'the checkout is copied' copy_checkout
  step 'init.sh makes secrets and certificates' makes_secrets
  step 'the images are built' run_compose build
  step 'everything starts' run_compose up -d
  step 'everything is healthy' await_healthy postgres redis "${services[@]}" front
  step 'an operator makes a verified business' make_business
  step 'an operator makes a key, and it is let in' new_key_works
  step 'a wrong key is refused' call 401 sk_wrong
  step 'the login page and the dashboard are served' expect 200 -L "$origin/login"
  step 'the documentation names this address' documents_this_address
  step 'a wrong password is refused' wrong_password
  step 'the front terminates TLS, and says who called' front_terminates_tls
  step 'no secret is shown by docker inspect or ps' hides_secrets
  step 'a service reaches its own neighbours alone' networks_are_apart
  [[ ${SMOKE_WITHOUT:-} == *prometheus* ]] || step 'Prometheus watches every replica, and raises no alarm' prometheus_watches
  [[ ${SMOKE_WITHOUT:-} == *grafana* ]] || step 'Grafana shows the dashboards' grafana_shows
  step 'the canary reads its secrets and measures each gateway' canary_measures
  for service in "${services[@]}" front postgres redis; do
    step "$service restarts, and a new key is let in" restart "$service"
  done
  step 'two replicas of business-service, and either serves' one_of_two
  step 'an upgrade under load fails no request' load upgrades
  step 'the way back under load fails no request' load goes_back
  step 'a restart replica by replica under load fails no request' load restarts_replicas
  step 'a third gateway comes and goes under load, and no request fails' load more_gateways
  step 'the public certificate is renewed under load, and no request fails' load renews_public_certificate
  step 'without Redis a new key is let in' without_redis
  step 'Redis is back, and a new key is let in' with_redis_again
  step 'certificates are renewed' renew_certificates
  step 'every service ends by itself when it is stopped' ends_by_itself
  step 'data outlives the containers' starts_again
  step 'identity-service runs as a role that owns nothing' owns_nothing
  if run_compose exec -T postgres pg_dump -U postgres --schema-only postgres >/dev/null 2>"$copy/refused"; then
    step 'a lost volume is restored from a backup, and a key that was deleted since stays so' restores_a_backup
    step 'a lost volume is restored from a base backup and the log, to its end' recovers_from_the_log
  else
    printf 'left out: backups are restored. This image of PostgreSQL cannot dump its own server: %s\n' "$(tail -n 1 "$copy/refused")"
  fi
  step 'everything comes down' comes_down
  printf 'The smoke test passed: %s steps.\n' "$steps"
}

main
exit
