#!/usr/bin/env bash
# Installs overlays/production into the cluster that KUBECONFIG names, with substitutes for external systems, tests it, and
# removes it again:
#   deploy/kubernetes/test-production.sh [STEP...]      all steps, or those whose names begin with one of these words
# Substitutes: PostgreSQL and a Redis Cluster in the namespace business-api-outside; a pod in ingress-nginx for the ingress
# controller and one in monitoring for Prometheus. If the cluster does not know their kinds, openssl replaces cert-manager, and
# objects of the Prometheus operator are omitted. Uses a copy of the overlay, with its own secrets and certificates.
# Needs kubectl, openssl, and on the nodes the images platform/*:local (docs/operations/kubernetes.md). None of the namespaces may
# exist.
#   KUBE_APPLY="kubectl apply -k"   how a folder is applied
#   KUBE_TEST_KEEP=1                keeps everything at the end
# Prints `ok …` or `FAILED …` for each step with its counts, and exits with 1 if one failed.
set -uo pipefail
cd "$(dirname "$0")/../.."

readonly space=business-api outside=business-api-outside load_space=ingress-nginx monitoring=monitoring
spaces="$space $outside" url=http://gateway.business-api/v2/businesses/me
source deploy/kubernetes/test/functions.sh
source deploy/docker/secrets.sh
work=$(mktemp -d)
readonly work state=$work
failures=0
wanted=("$@")
readonly overlay=$work/kubernetes/overlays/production

out() { kubectl -n "$outside" "$@"; }
apply() { ${KUBE_APPLY:-kubectl apply -k} "$1"; }

require_empty() {
  local existing
  existing=$(kubectl get namespaces -o name) || { echo 'the cluster does not respond' >&2; exit 2; }
  existing=$(grep -xE "namespace/($space|$outside|$load_space|$monitoring)" <<<"$existing") || return 0
  echo "exists already: $(tr '\n' ' ' <<<"$existing")" >&2
  exit 2
}
clean_up() {
  [ -n "${KUBE_TEST_KEEP:-}" ] ||
    kubectl delete namespace "$space" "$outside" "$load_space" "$monitoring" --wait=false --ignore-not-found >/dev/null 2>&1
  rm -rf "$work"
}

# ---- external systems ----

outside_ready() {
  local password addresses folder=$work/kubernetes/test/outside
  cp -r deploy/kubernetes deploy/docker "$work/" && rm -rf "$overlay/generated" || return
  password=$(openssl rand -hex 16)
  printf '%s' "$password" >"$work/password"
  cp deploy/docker/databases.sh deploy/kubernetes/overlays/local/postgres.yaml "$folder/"
  fresh_secrets | sed -n "s/^\([A-Z_]*_PASSWORD\)=.*/\1=$password/p" >"$folder/secrets"
  printf 'requirepass %s\nmasterauth %s\n' "$password" "$password" >"$folder/redis.conf"
  kubectl create namespace "$outside" && apply "$folder" || return
  out rollout status statefulset/redis-cluster --timeout=120s && out rollout status statefulset/postgres --timeout=120s || return
  addresses=$(out get pods -l app.kubernetes.io/name=redis-cluster -o jsonpath='{range .items[*]}{.status.podIP}:6379 {end}')
  redis 0 --cluster create $addresses --cluster-replicas 1 --cluster-yes && within 60 cluster_ok && redis 0 cluster info | grep known_nodes
}
redis() { # POD ARGUMENT...
  out exec "redis-cluster-$1" -- env REDISCLI_AUTH="$(cat "$work/password")" redis-cli "${@:2}"
}
cluster_ok() { redis 0 cluster info | grep -q 'cluster_state:ok' && [ "$(masters | wc -l)" = 3 ]; }
# Pods that are masters of the Redis Cluster.
masters() {
  local address
  redis 0 cluster nodes | awk '$3 ~ /master/ && $3 !~ /fail/ {sub(/:.*/, "", $2); print $2}' | while read -r address; do
    out get pods -o jsonpath='{range .items[*]}{.status.podIP}{" "}{.metadata.name}{"\n"}{end}' | sed -n "s/^$address //p"
  done
}

# Whether the cluster has the kinds of cert-manager.io or monitoring.coreos.com.
knows() { kubectl api-versions | grep -q "^$1/"; }
# Issues the certificates of certificates.yaml like cert-manager; a second call renews them.
issue_certificates() {
  local name secret names folder=$work/certificates
  [ -e "$folder/authority/key.pem" ] || { mkdir -p "$folder" && make_certificates "$folder"; } || return
  kubectl kustomize "$overlay" | node_modules/.bin/node deploy/kubernetes/test/certificates.ts >"$work/asked" && [ -s "$work/asked" ] || return
  while read -r name secret names; do
    make_certificate "$folder" "$name" "$names"
    k create secret generic "$secret" --type=kubernetes.io/tls --from-file="ca.crt=$folder/$name/ca.pem" \
      --from-file="tls.crt=$folder/$name/cert.pem" --from-file="tls.key=$folder/$name/key.pem" --dry-run=client -o yaml | k apply -f - || return
  done <"$work/asked"
}

# ---- the installation ----

install() {
  local password host="@postgres.$outside:5432" service group redis_url
  password=$(cat "$work/password")
  redis_url="redis+cluster://:$password@redis-cluster-0.redis-cluster.$outside:6379,redis-cluster-1.redis-cluster.$outside:6379"
  IDENTITY_DATABASE_URL="postgresql://identity:$password$host/identity" IDENTITY_RUNNER_URL="postgresql://identity_runner:$password$host/identity" \
    BUSINESS_DATABASE_URL="postgresql://business:$password$host/business" BUSINESS_RUNNER_URL="postgresql://business_runner:$password$host/business" \
    WEBHOOK_DATABASE_URL="postgresql://webhook:$password$host/webhook" REDIS_URL=$redis_url SMTP_URL=smtps://mail.example.com:465 \
    "$work/kubernetes/init.sh" overlays/production || return
  kubectl kustomize "$overlay" | node_modules/.bin/node deploy/kubernetes/check/main.ts || return
  mkdir "$work/kubernetes/installed" && cp deploy/kubernetes/overlays/local/{small-requests,small-migration}.yaml "$work/kubernetes/installed/"
  {
    printf 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../overlays/production]\nimages:\n'
    for service in "${services[@]}"; do
      printf '  - { name: registry.example.com/business-api/%s, newName: platform/%s, newTag: local }\n' "$service" "$service"
    done
    # Small requests as in overlays/local, because a test has few processors.
    printf 'patches:\n  - { path: small-requests.yaml, target: { kind: Deployment } }\n'
    printf '  - { path: small-migration.yaml, target: { kind: Deployment, labelSelector: platform/database=own } }\n'
    for group in cert-manager.io monitoring.coreos.com; do
      knows "$group" || printf '  - target: { group: %s }\n    patch: "{ $patch: delete, apiVersion: any, kind: any, metadata: { name: any } }"\n' "$group"
    done
  } >"$work/kubernetes/installed/kustomization.yaml"
  apply "$work/kubernetes/installed" || return
  knows cert-manager.io || issue_certificates || return
  for service in "${services[@]}"; do k rollout status "deployment/$service" --timeout=300s || return; done
  k get pods --no-headers | awk '{print $3}' | sort | uniq -c | tr -s ' \n' ' '
}
prepare() {
  local where
  for where in "$load_space" "$monitoring"; do
    kubectl create namespace "$where" && kubectl label namespace "$where" "kubernetes.io/metadata.name=$where" --overwrite || return
    kubectl -n "$where" create configmap test-scripts --from-file=deploy/kubernetes/test && kubectl -n "$where" apply -f deploy/kubernetes/test/pods.yaml || return
    kubectl -n "$where" wait --for=condition=Ready pod/load pod/stranger --timeout=60s || return
  done
}

# Every service runs as the role that may change data and nothing else.
roles_hold() {
  local database used owned
  used=$(sql postgres "SELECT string_agg(DISTINCT usename, ' ' ORDER BY usename) FROM pg_stat_activity WHERE datname IN ('identity', 'business', 'webhook')")
  [ "$used" = 'business_runner identity_runner webhook' ] || { echo "connected: $used"; return 1; }
  for database in identity business; do
    owned=$(sql "$database" "SELECT count(*) FROM pg_class WHERE relowner = '${database}_runner'::regrole")
    [ "$owned" = 0 ] || { echo "${database}_runner owns $owned"; return 1; }
  done
  echo "$used; the runners own nothing"
}
sql() { out exec postgres-0 -- psql -U postgres -d "$1" -tAc "$2"; }

# Checks the platform's pods only, because other access to the databases is not decided by this installation.
reaches_inside() { spaces=$space reaches "$@"; }

has_metrics() {
  local pod address count=0
  while read -r address; do
    kubectl -n "$monitoring" exec stranger -- node -e 'fetch(`http://${process.argv[1]}:9090/metrics`).then((r) => r.text()).then((text) => process.exit(/^process_cpu_seconds_total/m.test(text) ? 0 : 1))' "$address" || return
    count=$((count + 1))
  done < <(k get endpoints -l platform/metrics=ops -o jsonpath='{range .items[*]}{range .subsets[*]}{range .addresses[*]}{.ip}{"\n"}{end}{end}{end}')
  [ "$count" -ge 8 ] && echo "$count replicas"
}

# No request after the response may pass, at any gateway.
revokes() {
  local made=$work/doomed pod count=0
  make_key "$made" && is 200 "$(cat "$made")" || return
  # Exit code 3: committed without Redis. Until it is back, gateways use no cached authorization.
  admin key delete --business "$(business)" --key "$(field id <"$work/made")" || [ $? = 3 ] || return
  for pod in $(k get pods -l app.kubernetes.io/name=gateway -o jsonpath='{range .items[*]}{.status.podIP}{"\n"}{end}'); do
    url="http://$pod:8080/v2/businesses/me" is 401 "$(cat "$made")" || return
    count=$((count + 1))
  done
  echo "$count gateways"
}
loses_a_master() {
  local master
  master=$(masters | tail -n 1)
  start_load 20 20
  out delete pod "$master" --force --grace-period=0 && revokes || { stop_load; return 1; }
  out rollout status statefulset/redis-cluster --timeout=120s && within 90 cluster_ok && revokes || { stop_load; return 1; }
  nothing_failed
}

# The serial number of the certificate that a service presents to its neighbours.
presented() {
  k exec "$(pods "$1" | head -n 1)" -- node -e '
    const { readFileSync } = require("node:fs");
    const folder = "/run/secrets/tls/";
    const [ca, cert, key] = ["ca.crt", "tls.crt", "tls.key"].map((name) => readFileSync(folder + name));
    const socket = require("node:tls").connect({ port: 5000, host: "localhost", ca, cert, key, ALPNProtocols: ["h2"] }, () => {
      console.log(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });'
}
renewed() { [ "$(presented "$1")" != "$2" ]; }
renews_certificates() {
  local service restarts before=()
  restarts=$(restart_counts)
  for service in identity-service business-service webhook-service; do before+=("$(presented "$service")"); done
  start_load 20 20
  issue_certificates || { stop_load; return 1; }
  for service in identity-service business-service webhook-service; do
    within 240 renewed "$service" "${before[0]}" || { stop_load; return 1; }
    before=("${before[@]:1}")
  done
  sleep 10
  [ "$(restart_counts)" = "$restarts" ] || { stop_load; echo "restarted: $restarts, then $(restart_counts)"; return 1; }
  nothing_failed
}

main() {
  trap 'rm -rf "$work"' EXIT
  require_empty
  trap clean_up EXIT
  trap 'exit 1' INT TERM
  step outside 'PostgreSQL and a Redis Cluster, as they exist elsewhere' outside_ready
  step install 'applied with one command; every pod gets ready' install
  [ "$failures" = 0 ] || exit 1
  step install 'pods in the place of the ingress controller and Prometheus' prepare
  step first 'the documented command makes the first key' first_key
  step first 'the first call, from where the ingress controller is' first_call
  step roles 'services run as roles that own nothing' roles_hold
  step network 'edges of the ingress controller' reaches_inside pod/load 'gateway:8080' "$load_space"
  step network 'edges of Prometheus' reaches_inside pod/stranger 'business-service:9090 gateway:9090 identity-service:9090 webhook-service:9090' "$monitoring"
  step network 'edges of the gateway' edges gateway 'business-service:3000 identity-service:3000 identity-service:5000 redis-cluster:6379'
  step network 'edges of identity-service' edges identity-service 'business-service:5000 postgres:5432 redis-cluster:6379 webhook-service:5000'
  step network 'edges of business-service' edges business-service 'postgres:5432'
  step network 'edges of webhook-service' edges webhook-service 'business-service:5000 identity-service:5000 postgres:5432'
  step metrics 'every replica that the ServiceMonitor selects has metrics' has_metrics
  step revocation 'a deleted key is refused by every gateway at once' revokes
  step redis 'a master of the Redis Cluster is killed under load: 0 failed' loses_a_master
  knows cert-manager.io || step certificates 'certificates are renewed under load, no pod restarts: 0 failed' renews_certificates
  [ "$failures" = 0 ] && echo 'Everything held.' || echo "$failures steps failed."
  exit $((failures > 0))
}

main
