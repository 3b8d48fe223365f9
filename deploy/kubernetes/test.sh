#!/usr/bin/env bash
# Installs overlays/local into the cluster that KUBECONFIG names, disturbs it under load, and removes it again:
#   deploy/kubernetes/test.sh [STEP...]      all steps, or those whose names begin with one of these words
# Needs kubectl, openssl, and on the nodes the images platform/*:local (docs/operations/kubernetes.md). The namespace must not exist.
#   KUBE_APPLY="kubectl apply -k"   how a folder is applied
#   KUBE_TEST_SECONDS=300           how long pods are deleted at random
#   KUBE_TEST_KEEP=1                keeps the installation, and uses an existing one
# Prints `ok …` or `FAILED …` for each step with its counts, and exits with 1 if one failed.
set -uo pipefail
cd "$(dirname "$0")/../.."

readonly space=business-api stranger_space=business-api-stranger overlay=deploy/kubernetes/overlays/local
readonly load_space=$space spaces=$space url=http://gateway/v2/businesses/me
source deploy/kubernetes/test/functions.sh
work=$(mktemp -d)
readonly work
failures=0
wanted=("$@")

# Refuses an existing installation, because the test would remove it.
require_empty() {
  local existing
  existing=$(kubectl get namespaces -o name) || { echo 'the cluster does not respond' >&2; exit 2; }
  grep -qxE "namespace/($space|$stranger_space)" <<<"$existing" || return 0
  [ -n "${KUBE_TEST_KEEP:-}" ] || { echo "the namespace $space or $stranger_space exists already" >&2; exit 2; }
}

clean_up() {
  [ -n "${KUBE_TEST_KEEP:-}" ] || kubectl delete namespace "$space" "$stranger_space" --wait=false --ignore-not-found >/dev/null 2>&1
  rm -rf "$work"
}

# Folder for the key that the steps use. Stored beside the secrets of the installation if that is kept.
state=$work
[ -z "${KUBE_TEST_KEEP:-}" ] || state=$PWD/$overlay/generated/test
readonly state

install() {
  mkdir -p "$state"
  deploy/kubernetes/init.sh && kubectl kustomize "$overlay" | node_modules/.bin/node deploy/kubernetes/check/main.ts || return
  ${KUBE_APPLY:-kubectl apply -k} "$overlay" && everything_ready
}
everything_ready() {
  local service
  for service in "${services[@]}"; do k rollout status "deployment/$service" --timeout=300s || return; done
  for service in postgres redis mail; do k rollout status "statefulset/$service" --timeout=120s || return; done
  k get pods --no-headers | awk '{print $3}' | sort | uniq -c | tr -s ' \n' ' '
}
prepare() {
  local where
  kubectl create namespace "$stranger_space" --dry-run=client -o yaml | kubectl apply -f - || return
  for where in "$space" "$stranger_space"; do
    kubectl -n "$where" create configmap test-scripts --from-file=deploy/kubernetes/test --dry-run=client -o yaml | kubectl -n "$where" apply -f - || return
  done
  k apply -f deploy/kubernetes/test/network-policies.yaml -f deploy/kubernetes/test/pods.yaml || return
  kubectl -n "$stranger_space" apply -f deploy/kubernetes/test/pods.yaml || return
  k wait --for=condition=Ready pod/load pod/stranger --timeout=60s &&
    kubectl -n "$stranger_space" wait --for=condition=Ready pod/stranger --timeout=60s
}

# A business of its own, and a round every five seconds.
canary() {
  local here
  here=$(realpath --relative-to="$work" "$PWD/deploy/kubernetes")
  admin business create --account-holder Canary --username "canary$RANDOM" >"$work/canary-business" || return
  {
    printf 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamespace: %s\n' "$space"
    printf 'resources: [%s]\ncomponents: [%s]\nimages: [{ name: platform/canary, newTag: local }]\n' "$here/overlays/local" "$here/components/canary"
    printf 'configMapGenerator:\n  - name: canary-business\n    literals: [CANARY_BUSINESS_ID=%s, CANARY_INTERVAL_MS=5000]\n' "$(field id <"$work/canary-business")"
    printf '  - name: identity-service\n    behavior: merge\n    literals: [CANARY_BUSINESS_ID=%s]\n' "$(field id <"$work/canary-business")"
  } >"$work/kustomization.yaml"
  ${KUBE_APPLY:-kubectl apply -k} "$work" && k rollout status deployment/identity-service --timeout=300s && k rollout status deployment/canary --timeout=120s && within 60 canary_measured && promises
}
promises() { k exec deploy/canary -- node -e 'fetch("http://localhost:9090/promises.json").then((r) => r.json()).then((r) => { for (const one of r.violations) console.log(JSON.stringify(one)); console.log(`${r.rounds} rounds, ${r.failedRounds} failed, ${r.violations.length} violations; revocation p99 ms: ${r.revocation.map((one) => one.p99Ms)}`); process.exit(r.rounds > 0 && r.violations.every((one) => one.promise !== "revocation") ? 0 : 1); })'; }
canary_measured() { promises | grep -q '^[1-9][0-9]* rounds'; }

rolls() {
  start_load 20 20
  k rollout restart "deployment/$1" && k rollout status "deployment/$1" --timeout=400s || { stop_load; return 1; }
  # The last of the old replicas still drain.
  sleep 12
  nothing_failed
}

# New certificates of the same authority: every pod is replaced.
renews_certificates() {
  start_load 20 20
  rm -r "$overlay"/generated/tls/*-service "$overlay/generated/tls/gateway"
  deploy/kubernetes/init.sh && ${KUBE_APPLY:-kubectl apply -k} "$overlay" && everything_ready || { stop_load; return 1; }
  sleep 12
  nothing_failed
}

deleted_at_random() {
  local deadline=$((SECONDS + ${KUBE_TEST_SECONDS:-300})) count=0 pod
  start_load 20 20
  while [ "$SECONDS" -lt "$deadline" ]; do
    pod=$(names | grep -vE 'postgres|redis' | shuf -n 1)
    k delete "$pod" --wait=false && count=$((count + 1))
    sleep $((5 + RANDOM % 10))
    # One at a time, as a drained node does under the budgets.
    within 120 enough_ready || { stop_load; return 1; }
  done
  nothing_failed
  local result=$?
  echo "$count pods deleted; $(tail -n 1 "$work/load")"
  return $result
}
killed() { # a gateway dies without a drain: only what it had in flight may fail
  start_load 20 20
  k delete "$(pods gateway | head -n 1)" --force --grace-period=0 --wait=false
  sleep 20
  within 60 enough_ready
  stop_load
  [ "$(failed)" -le 20 ] && [ "$(sent)" -gt 100 ]
}
killed_behind() { # behind the gateway: retries and second attempts hide it
  start_load 20 20
  k delete "$(pods "$1" | head -n 1)" --force --grace-period=0 --wait=false
  sleep 20
  within 90 enough_ready
  stop_load
  [ "$(failed)" -le "$2" ] && [ "$(sent)" -gt 100 ]
}

scales_out() {
  local before after version
  version=$(kubectl api-versions | grep -E '^autoscaling/v2(beta2)?$' | sort | head -n 1)
  kubectl top pods -n "$space" >/dev/null || { echo 'the cluster has no metrics'; return 1; }
  k patch "horizontalpodautoscalers.${version#*/}.autoscaling" gateway --type=merge \
    -p '{"spec":{"behavior":{"scaleDown":{"stabilizationWindowSeconds":0,"policies":[{"type":"Pods","value":4,"periodSeconds":15}]}}}}' || return
  within 240 replicas -le 2 || return
  before=$(desired)
  start_load 400 40
  within 180 replicas -gt "$before" || { stop_load; k describe hpa gateway; return 1; }
  sleep 15
  after=$(desired)
  stop_load
  within 240 replicas -le 2 || return
  echo "$before -> $after under load -> $(desired); $(tail -n 1 "$work/load")"
}
desired() { k get deployment gateway -o jsonpath='{.spec.replicas}'; }
replicas() { [ "$(desired)" "$1" "$2" ]; }

evict() {
  local version
  for version in v1 v1beta1; do
    printf '{"apiVersion":"policy/%s","kind":"Eviction","metadata":{"name":"%s","namespace":"%s"}}' "$version" "${1#pod/}" "$space" |
      kubectl create --raw "/api/v1/namespaces/$space/pods/${1#pod/}/eviction" -f - 2>"$work/evicted" && return
    grep -qE 'no kind|could not find|unable to recognize|does not match' "$work/evicted" || { cat "$work/evicted"; return 1; }
  done
  return 1
}
budget_holds() {
  local first second
  within 120 enough_ready || return
  { read -r first; read -r second; } < <(pods gateway)
  evict "$first" || return
  if evict "$second" >"$work/second"; then echo 'both were evicted'; return 1; fi
  tail -n 1 "$work/second"
}

# ---- allowed connections ----

stranger_reaches_nothing() { # NAMESPACE
  addresses >"$work/addresses"
  local open
  open=$(kubectl -n "$1" exec stranger -- node /test/walk.ts $(cut -d ' ' -f 1 "$work/addresses"))
  [ -s "$work/addresses" ] || return
  [ -z "$open" ] || { echo "open: $(tr '\n' ' ' <<<"$open")"; return 1; }
  echo "0 of $(wc -l <"$work/addresses") addresses"
}
# ---- dependencies ----

without_redis() {
  start_load 20 20
  k scale statefulset redis --replicas=0 && within 60 no_pod redis-0 || { stop_load; return 1; }
  sleep 5
  # Exit code 3: committed, and gateways without Redis use no cached authorization.
  make_key "$work/short" && is 200 "$(cat "$work/short")" || { stop_load; return 1; }
  admin key delete --business "$(business)" --key "$(field id <"$work/made")"
  is 401 "$(cat "$work/short")" || { stop_load; return 1; }
  k scale statefulset redis --replicas=1 && k rollout status statefulset/redis --timeout=120s
  sleep 10
  nothing_failed
}
no_pod() { ! k get pod "$1"; }
without_postgres() {
  local restarts
  restarts=$(restart_counts)
  start_load 20 20
  k delete pod postgres-0 --force --grace-period=0
  k rollout status statefulset/postgres --timeout=120s
  within 60 is 200 "$(key)" && make_key "$work/after" && is 200 "$(cat "$work/after")" || { stop_load; return 1; }
  [ "$(restart_counts)" = "$restarts" ] || { stop_load; echo "restarted: $restarts, then $(restart_counts)"; return 1; }
  only '200|503' && tail -n 1 "$work/load"
}
# With a wrong secret, new pods do not start and give the reason in one line, and the old pods continue to serve.
wrong_secret() { # SERVICE SECRET-KEY VALUE LINE
  local secret message template='{{range $key, $value := .data}}{{"  "}}{{$key}}: {{$value}}{{"\n"}}{{end}}'
  secret=$(k get deployment "$1" -o jsonpath='{.spec.template.spec.volumes[?(@.name=="secrets")].secret.secretName}')
  {
    printf 'apiVersion: v1\nkind: Secret\nmetadata: { name: wrong-secret }\ndata:\n'
    k get secret "$secret" -o go-template="$template" | grep -v "^  $2:"
    printf '  %s: %s\n' "$2" "$(printf '%s' "$3" | base64 -w0)"
  } | k apply -f - || return
  k patch deployment "$1" -p '{"spec":{"template":{"spec":{"volumes":[{"name":"secrets","secret":{"secretName":"wrong-secret"}}]}}}}' || return
  within 120 explained "$1" "$4"
  local result=$?
  message=$(messages "$1" | grep -F "$4" | head -n 1)
  is 200 "$(key)" || result=1
  k rollout undo "deployment/$1" && k rollout status "deployment/$1" --timeout=200s
  k delete secret wrong-secret
  echo "$message"
  return $result
}
messages() { k get pods -l "app.kubernetes.io/name=$1" -o jsonpath='{range .items[*]}{range .status.initContainerStatuses[*]}{.state.terminated.message}{.lastState.terminated.message}{"\n"}{end}{range .status.containerStatuses[*]}{.state.terminated.message}{.lastState.terminated.message}{"\n"}{end}{end}'; }
explained() { messages "$1" | grep -qF "$2"; }

main() {
  trap 'rm -rf "$work"' EXIT
  require_empty
  trap clean_up EXIT
  trap 'exit 1' INT TERM
  step install 'applied with one command; every pod gets ready' install
  [ "$failures" = 0 ] || exit 1
  step install 'pods of the test' prepare
  step first 'the documented command makes the first key' first_key
  step first 'the first call through the Service' first_call
  step network 'a pod without a label reaches nothing' stranger_reaches_nothing "$space"
  step network 'nor does a pod of another namespace' stranger_reaches_nothing "$stranger_space"
  step network 'edges of the gateway' edges gateway 'business-service:3000 identity-service:3000 identity-service:5000 redis:6379'
  step network 'edges of identity-service' edges identity-service 'business-service:5000 postgres:5432 redis:6379 webhook-service:5000'
  step network 'edges of business-service' edges business-service 'postgres:5432'
  step network 'edges of webhook-service' edges webhook-service 'business-service:5000 identity-service:5000 postgres:5432'
  step canary 'the canary measures the promises at each gateway' canary
  step canary 'edges of the canary' edges canary 'gateway:8080 identity-service:5000'
  for service in "${services[@]}"; do step rolling "rolling update of $service under load: 0 failed" rolls "$service"; done
  step certificates 'certificates are renewed under load: 0 failed' renews_certificates
  step budget 'a second eviction is refused' budget_holds
  step random 'pods deleted at random under load: 0 failed' deleted_at_random
  step kill 'a gateway is killed: at most its requests in flight fail' killed
  for service in business-service identity-service webhook-service; do
    step kill "a replica of $service is killed: at most its requests in flight" killed_behind "$service" 20
  done
  step redis 'Redis is gone under load: 0 failed, revocation is immediate' without_redis
  step postgres 'PostgreSQL is killed under load: 200 or 503, no restart' without_postgres
  step secret 'a wrong database password: one clear line' wrong_secret business-service DATABASE_URL \
    postgresql://business_runner:wrong@postgres:5432/business 'password authentication failed for user "business_runner"'
  step secret 'a gateway secret that is too short: one clear line' wrong_secret gateway GATEWAY_SECRET short \
    'GATEWAY_SECRET.0: must have at least 32 characters'
  step scale 'the autoscaler scales the gateway out under load, and back' scales_out
  step canary 'no revocation was late in all this' promises
  [ "$failures" = 0 ] && echo 'Everything held.' || echo "$failures steps failed."
  exit $((failures > 0))
}

main
