#!/usr/bin/env bash
# Makes what docker-compose.yml needs and must not be in the repository: .env with fresh secrets, and certificates for
# gRPC between the services in .docker/tls. What is there already is kept.
set -euo pipefail
cd "$(dirname "$0")/../.."
umask 077

source deploy/docker/secrets.sh

make_env() {
  echo '# Made by deploy/docker/init.sh; .env.example says what each variable is for.'
  fresh_secrets
}

# Read by the user of PostgreSQL's container, also from a checkout under a strict umask.
chmod a+r deploy/docker/databases.sh
[ -e .env ] || make_env >.env
# Made by an earlier version: what it did not know is added.
grep -q '^CREDENTIAL_TAG_KEYS=' .env || echo "CREDENTIAL_TAG_KEYS=$(openssl rand -hex 32)" >>.env
grep -q '^WEBHOOK_DATABASE_PASSWORD=' .env || echo "WEBHOOK_DATABASE_PASSWORD=$(openssl rand -hex 24)" >>.env
grep -q '^WEBHOOK_ENCRYPTION_KEYS=' .env || echo "WEBHOOK_ENCRYPTION_KEYS=$(openssl rand -base64 32)" >>.env
[ -e .docker/tls/webhook-service/key.pem ] || make_certificates .docker/tls
echo 'Ready: docker compose up --build'
