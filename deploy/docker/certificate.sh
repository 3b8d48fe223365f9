#!/usr/bin/env bash
# Makes a certificate with which a service of your own calls those of the platform (protos/README.md):
#   deploy/docker/certificate.sh NAME        .docker/tls/NAME/{ca,cert,key}.pem
# One that is there is replaced: its service reads it when it starts.
set -euo pipefail
cd "$(dirname "$0")/../.."
umask 077
source deploy/docker/secrets.sh

name=${1:-}
[[ $name =~ ^[a-z0-9][a-z0-9-]{0,62}$ ]] || { echo 'usage: deploy/docker/certificate.sh NAME (a-z, 0-9 and -)' >&2; exit 2; }
[[ $name != authority ]] || { echo 'authority is no name of a service' >&2; exit 2; }
[ -e .docker/tls/authority/key.pem ] || {
  echo '.docker/tls/authority/key.pem is not there: run deploy/docker/init.sh, after rm -r .docker/tls where it was made before' >&2
  exit 1
}
make_certificate .docker/tls "$name"
echo ".docker/tls/$name: mount it, and name its methods in GRPC_CALLERS of the services that it calls"
