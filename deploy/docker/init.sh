#!/usr/bin/env bash
# Makes what docker-compose.yml needs and must not be in the repository: .env with fresh secrets, and certificates for
# gRPC between the services in .docker/tls. What is there already is kept.
set -euo pipefail
cd "$(dirname "$0")/../.."
umask 077

make_env() {
  local passport_key
  passport_key=$(openssl genpkey -algorithm ed25519 -outform DER | base64 -w0)
  cat >.env <<ENV
# Made by deploy/docker/init.sh; .env.example says what each variable is for.
POSTGRES_PASSWORD=$(openssl rand -hex 24)
IDENTITY_DATABASE_PASSWORD=$(openssl rand -hex 24)
BUSINESS_DATABASE_PASSWORD=$(openssl rand -hex 24)
WEBHOOK_DATABASE_PASSWORD=$(openssl rand -hex 24)
REDIS_PASSWORD=$(openssl rand -hex 24)
KEY_PEPPERS=$(openssl rand -hex 32)
CREDENTIAL_TAG_KEYS=$(openssl rand -hex 32)
PASSPORT_PRIVATE_KEY=$passport_key
GATEWAY_SECRET=$(openssl rand -hex 32)
SESSION_SECRETS=$(openssl rand -hex 32)
ENCRYPTION_KEYS=$(openssl rand -base64 32)
WEBHOOK_ENCRYPTION_KEYS=$(openssl rand -base64 32)
# SMTP server for emails (sign-up, password reset). This is a placeholder: put your server in.
SMTP_URL=smtp://127.0.0.1:25
PASSPORT_PUBLIC_KEYS=$(base64 -d <<<"$passport_key" | openssl pkey -inform DER -pubout -outform DER | base64 -w0)
ENV
}

# One authority, thrown away after it has signed, and one certificate per service.
make_certificates() {
  local tls=.docker/tls authority service
  authority=$(mktemp -d)
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 825 -subj '/CN=platform' \
    -keyout "$authority/key.pem" -out "$authority/ca.pem" 2>/dev/null
  for service in gateway identity-service business-service webhook-service; do
    mkdir -p "$tls/$service"
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$service" \
      -keyout "$tls/$service/key.pem" -out "$authority/request.pem" 2>/dev/null
    openssl x509 -req -in "$authority/request.pem" -CA "$authority/ca.pem" -CAkey "$authority/key.pem" \
      -CAcreateserial -days 825 -extfile <(echo "subjectAltName=DNS:$service,DNS:localhost") \
      -out "$tls/$service/cert.pem" 2>/dev/null
    cp "$authority/ca.pem" "$tls/$service/ca.pem"
    # The containers' user must read them; .docker itself stays closed to other users of this machine.
    chmod 755 "$tls/$service" && chmod 644 "$tls/$service"/*.pem
  done
  rm -r "$authority"
}

# Read by the user of PostgreSQL's container, also from a checkout under a strict umask.
chmod a+r deploy/docker/databases.sh
[ -e .env ] || make_env
# Made by an earlier version: what it did not know is added.
grep -q '^CREDENTIAL_TAG_KEYS=' .env || echo "CREDENTIAL_TAG_KEYS=$(openssl rand -hex 32)" >>.env
grep -q '^WEBHOOK_DATABASE_PASSWORD=' .env || echo "WEBHOOK_DATABASE_PASSWORD=$(openssl rand -hex 24)" >>.env
grep -q '^WEBHOOK_ENCRYPTION_KEYS=' .env || echo "WEBHOOK_ENCRYPTION_KEYS=$(openssl rand -base64 32)" >>.env
[ -e .docker/tls/webhook-service/key.pem ] || make_certificates
echo 'Ready: docker compose up --build'
