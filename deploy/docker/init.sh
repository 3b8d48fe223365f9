#!/usr/bin/env bash
# Makes what docker-compose.yml needs and must not be in the repository: fresh secrets, each a file in .docker/secrets, and
# certificates for the services in .docker/tls. What is there already is kept. Secrets that an earlier version wrote into .env
# move to files; all else in .env stays.
set -euo pipefail
cd "$(dirname "$0")/../.."
umask 077
source deploy/docker/secrets.sh

secrets=.docker/secrets
mkdir -p "$secrets"

# keep NAME VALUE: the secret NAME with VALUE, or with its value in .env, unless it exists.
keep() {
  local value=$2
  [ ! -e "$secrets/$1" ] || return 0
  if [ -e .env ] && grep -q "^$1=" .env; then
    value=$(sed -n "s/^$1=//p" .env | tail -n 1)
    sed -i "/^$1=/d" .env
    echo "$1: moved from .env to $secrets"
  else
    echo "$1: made"
  fi
  printf '%s' "$value" >"$secrets/$1"
  # The containers' users must read it; the folder .docker is closed to other users of this machine.
  chmod 644 "$secrets/$1"
}
value() { cat "$secrets/$1"; }

touch .env
grep -q '^SECRETS_DIR=' .env || echo 'SECRETS_DIR=./.docker/secrets' >>.env
while IFS= read -r line; do
  case $line in \#* | '') continue ;; esac
  keep "${line%%=*}" "${line#*=}"
done < <(fresh_secrets)
for service in identity business webhook; do
  keep "${service^^}_DATABASE_URL" "postgresql://$service:$(value "${service^^}_DATABASE_PASSWORD")@postgres:5432/$service"
done
for service in identity business; do
  keep "${service^^}_RUNNER_URL" "postgresql://${service}_runner:$(value "${service^^}_RUNNER_PASSWORD")@postgres:5432/$service"
done
# Of the user admin of Grafana, with --profile observability.
keep GRAFANA_PASSWORD "$(openssl rand -hex 16)"
keep REDIS_URL "redis://:$(value REDIS_PASSWORD)@redis:6379"

# Yours goes into the same file: the certificate with its chain, then the key.
public_host=$(sed -n 's#^PUBLIC_URL=https\{0,1\}://\([^:/]*\).*#\1#p' .env | tail -n 1)
keep PUBLIC_CERTIFICATE "$(public_certificate "${public_host:-localhost}")"
openssl x509 -in "$secrets/PUBLIC_CERTIFICATE" >.docker/public-certificate.pem

# Read by the users of other images, also from a checkout under a strict umask.
chmod a+r deploy/docker/databases.sh
chmod -R a+rX deploy/observability
# Secrets of the canary's flows, which an operator puts there. The container's user must enter it.
mkdir -p .docker/canary
chmod 755 .docker/canary
make_certificates .docker/tls
echo 'Ready: docker compose up --build'
