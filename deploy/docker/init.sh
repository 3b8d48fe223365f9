#!/usr/bin/env bash
# Creates what docker-compose.yml needs and must not be in the repository: fresh secrets, each a file in .docker/secrets (or in
# SECRETS_DIR of .env), and certificates for the services in .docker/tls. Existing ones are kept. Secrets that an earlier version
# wrote into .env move to files; everything else in .env stays.
set -euo pipefail
cd "$(dirname "$0")/../.."
umask 077
source deploy/docker/secrets.sh

# setting NAME: its value in .env as Compose reads it: of two lines the last, without one pair of quotes.
setting() {
  sed -n "s/^$1=//p" .env | tail -n 1 | sed -e 's/^"\(.*\)"$/\1/' -e t -e "s/^'\(.*\)'\$/\1/"
}

# keep NAME VALUE: the secret NAME with VALUE, or with its value in .env, unless it exists.
keep() {
  local file=$secrets/$1 moved
  moved=$(setting "$1")
  if [ ! -s "$file" ]; then
    # Readable for the users of containers; the folder is closed to other users of this machine.
    store "$file" "${moved:-$2}" 644
    [ -n "$moved" ] || echo "$1: made"
  fi
  # Removed from .env once the file has it, even if an earlier run was killed in between.
  if [ -n "$moved" ] && [ "$moved" = "$(value "$1")" ]; then
    # Edits a copy with the same mode.
    rm -f .env.part
    cp -p .env .env.part
    chmod u+w .env.part
    sed "/^$1=/d" .env >.env.part
    mv -f .env.part .env
    echo "$1: moved from .env to $secrets"
  fi
}
value() { cat "$secrets/$1"; }

touch .env
# Adds a missing newline at the end, so that an added line is not joined to the last one.
[ -z "$(tail -c 1 .env)" ] || echo >>.env
[ -n "$(setting SECRETS_DIR)" ] || echo 'SECRETS_DIR=./.docker/secrets' >>.env
secrets=$(setting SECRETS_DIR)
mkdir -p .docker "$secrets"
chmod 700 "$secrets" || true
# Some file systems ignore modes, so chmod may succeed without effect.
[[ $(ls -ldL "$secrets") == d???--[-S]--[-T]* ]] || { echo "$secrets is open to other users, and cannot be closed: choose another SECRETS_DIR" >&2; exit 1; }
while IFS= read -r line; do
  case $line in \#* | '') continue ;; esac
  keep "${line%%=*}" "${line#*=}"
done < <(fresh_secrets)
keep PASSPORT_PUBLIC_KEYS "$(passport_public_key "$(value PASSPORT_PRIVATE_KEY)")"
for service in identity business webhook; do
  name=$(upper "$service")
  keep "${name}_DATABASE_URL" "postgresql://$service:$(value "${name}_DATABASE_PASSWORD")@postgres:5432/$service"
done
for service in identity business; do
  name=$(upper "$service")
  keep "${name}_RUNNER_URL" "postgresql://${service}_runner:$(value "${name}_RUNNER_PASSWORD")@postgres:5432/$service"
done
# Password of Grafana's user admin, for --profile observability.
keep GRAFANA_PASSWORD "$(openssl rand -hex 16)"
# For --profile clickhouse.
keep CLICKHOUSE_PASSWORD "$(openssl rand -hex 24)"
keep REQUEST_LOG_URL "clickhouse://platform:$(value CLICKHOUSE_PASSWORD)@clickhouse:8123/requests"
keep REDIS_URL "redis://:$(value REDIS_PASSWORD)@redis:6379"

# Put your own certificate into the same file: the certificate with its chain, then the key.
public_host=$(setting PUBLIC_URL | sed -n 's#^https\{0,1\}://\([^:/]*\).*#\1#p')
if [ ! -s "$secrets/PUBLIC_CERTIFICATE" ]; then
  certificate=$(public_certificate "${public_host:-localhost}")
  keep PUBLIC_CERTIFICATE "$certificate"
fi
# Replaced atomically, because clients may be reading it.
openssl x509 -in "$secrets/PUBLIC_CERTIFICATE" >.docker/public-certificate.new
mv .docker/public-certificate.new .docker/public-certificate.pem

# Makes files readable for the users of other images, also in a checkout with a strict umask.
chmod a+r deploy/docker/databases.sh deploy/docker/clickhouse.xml
chmod -R a+rX deploy/observability deploy/backup deploy/docker/front deploy/docker/api
# Folder for the canary's secrets, which an operator puts there. The container's user must be able to enter it.
mkdir -p .docker/canary
chmod 755 .docker/canary
make_certificates .docker/tls
echo 'Ready: docker compose up --build'
