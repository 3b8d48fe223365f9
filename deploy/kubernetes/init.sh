#!/usr/bin/env bash
# Creates what an overlay needs and must not be in the repository: fresh secrets and certificates, each a file in its folder
# `generated`. Existing ones are kept.
#   deploy/kubernetes/init.sh [overlays/local]
# For an overlay without its own PostgreSQL, set IDENTITY_DATABASE_URL, BUSINESS_DATABASE_URL, WEBHOOK_DATABASE_URL, REDIS_URL
# and SMTP_URL. If IDENTITY_RUNNER_URL and BUSINESS_RUNNER_URL are set, with roles that own nothing, services use those, and only
# migrations use the former.
set -euo pipefail
cd "$(dirname "$0")"
umask 077
source ../docker/secrets.sh

overlay=${1:-overlays/local}
generated=$overlay/generated
mkdir -p "$generated"

# keep NAME VALUE: the file NAME with VALUE, unless it exists.
keep() { [ -s "$generated/$1" ] || store "$generated/$1" "$2" 600; }
value() { cat "$generated/$1"; }

if [ ! -e "$overlay/postgres.yaml" ]; then
  for name in IDENTITY_DATABASE_URL BUSINESS_DATABASE_URL WEBHOOK_DATABASE_URL REDIS_URL SMTP_URL; do
    [ -s "$generated/$name" ] || [ -n "${!name:-}" ] || { echo "$name is not set, and $overlay needs it" >&2; exit 1; }
    keep "$name" "${!name:-}"
  done
  for service in IDENTITY BUSINESS; do
    name=${service}_RUNNER_URL
    [ -s "$generated/$name" ] || [ -n "${!name:-}" ] || echo "$name is not set: the service runs as the owner of its tables" >&2
    keep "$name" "${!name:-$(value "${service}_DATABASE_URL")}"
  done
fi
if [ -e "$overlay/mail.yaml" ]; then
  # Replaces the placeholder from earlier versions without a mail catcher.
  [ ! -e "$generated/SMTP_URL" ] || [ "$(value SMTP_URL)" != smtp://127.0.0.1:25 ] || rm -f "$generated/SMTP_URL"
  keep SMTP_URL smtp://mail:1025
fi
while IFS= read -r line; do
  case $line in \#* | '') continue ;; esac
  keep "${line%%=*}" "${line#*=}"
done < <(fresh_secrets)
keep PASSPORT_PUBLIC_KEYS "$(passport_public_key "$(value PASSPORT_PRIVATE_KEY)")"

if [ -e "$overlay/postgres.yaml" ]; then
  for service in identity business webhook; do
    name=$(upper "$service")
    password=$(value "${name}_DATABASE_PASSWORD")
    keep "${name}_DATABASE_URL" "postgresql://$service:$password@postgres:5432/$service"
  done
  for service in identity business; do
    name=$(upper "$service")
    password=$(value "${name}_RUNNER_PASSWORD")
    keep "${name}_RUNNER_URL" "postgresql://${service}_runner:$password@postgres:5432/$service"
  done
  keep REDIS_URL "redis://:$(value REDIS_PASSWORD)@redis:6379"
  keep redis.conf "requirepass $(value REDIS_PASSWORD)"
  cp ../docker/databases.sh "$generated/databases.sh"
fi
make_certificates "$generated/tls"
echo "Ready: kubectl apply -k deploy/kubernetes/$overlay"
