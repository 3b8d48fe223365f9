# Functions of deploy/kubernetes/test.sh and test-production.sh, which set:
#   space       namespace of the platform          url         what the load asks for
#   load_space  namespace of the pod `load`        spaces      namespaces whose pods are walked
#   work        a folder for files of this run     state       a folder for the key and its business
#   wanted      steps to run; empty for all        failures    how many failed
readonly services=(business-service identity-service webhook-service gateway)
umask 077

k() { kubectl -n "$space" "$@"; }
# Pods of a service that are not ending.
pods() {
  k get pods -l "app.kubernetes.io/name=$1" --field-selector=status.phase=Running \
    -o go-template='{{range .items}}{{if not .metadata.deletionTimestamp}}pod/{{.metadata.name}}{{"\n"}}{{end}}{{end}}'
}
names() { k get pods -l "app.kubernetes.io/part-of=business-api" -o name; }

# step NAME TEXT COMMAND...: runs it; its last line of output is what was counted.
step() {
  local name=$1 text=$2 started=$SECONDS output verdict=ok each
  shift 2
  if [ ${#wanted[@]} -gt 0 ]; then
    for each in "${wanted[@]}"; do [[ $name == "$each"* ]] && break 1; each=''; done
    [ -n "$each" ] || return 0
  fi
  output=$("$@" 2>&1) || verdict=FAILED
  printf '%-6s  %-62s %4s s  %s\n' "$verdict" "$text" $((SECONDS - started)) "$(tail -n 1 <<<"$output" | cut -c 1-150)"
  [ $verdict = ok ] && return
  failures=$((failures + 1))
  sed 's/^/        /' <<<"$output" | tail -n 25
}

# within SECONDS COMMAND...: repeats until it succeeds.
within() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$deadline" ] || { echo "not within its time: $*"; return 1; }
    sleep 1
  done
}

# ---- the load ----

on_load() { kubectl -n "$load_space" exec load -- "$@"; }
start_load() { # RATE MAX_IN_FLIGHT [KEY]
  on_load rm -f /tmp/stop && sleep 1
  on_load node /test/load.ts "$url" "${3:-$(key)}" "$1" "$2" >"$work/load" 2>&1 &
  load=$!
  sleep 4
}
stop_load() { on_load touch /tmp/stop && wait "$load"; tail -n 1 "$work/load"; }
failed() { sed -n '$ s/.*"failed":\([0-9]*\).*/\1/p' "$work/load"; }
sent() { sed -n '$ s/.*"sent":\([0-9]*\).*/\1/p' "$work/load"; }
nothing_failed() { stop_load; [ "$(failed)" = 0 ] && [ "$(sent)" -gt 100 ] || { grep -v '^{' "$work/load" | head -n 20; tail -n 1 "$work/load"; return 1; }; }
only() { stop_load && ! tail -n 1 "$work/load" | grep -oE '"[0-9A-Za-z]+":[0-9]+' | grep -vE "^\"(sent|failed|$1)\":"; }

# ---- what the platform does ----

admin() { k exec deploy/identity-service -c service -- node identity-service/src/admin/main.ts "$@" --json; }
field() { sed -n "s/^ *\"$1\": *\"\{0,1\}\([^\",]*\).*/\1/p" | head -n 1; }
key() { cat "$state/key"; }
business() { field id <"$state/business"; }
status() { on_load node -e 'fetch(process.argv[1], { headers: { authorization: `Bearer ${process.argv[2]}` } }).then((r) => console.log(r.status), (e) => console.log(e.cause?.code ?? e.message))' "$url" "$1"; }
is() { [ "$(status "$2")" = "$1" ] || { echo "$(status "$2") instead of $1"; return 1; }; }
make_key() { admin key create --business "$(business)" --name test --type secret >"$work/made" && field keyString <"$work/made" >"$1" && [ -s "$1" ]; }
first_key() {
  admin business create --account-holder 'Test Ltd' --username "test$RANDOM" >"$state/business" && make_key "$state/key" || return
  # Enough for the load of all steps, within one hour and without Redis.
  admin key limit --business "$(business)" --key "$(field id <"$work/made")" --limit 1000000 && echo "business $(business)"
}
first_call() { within 20 is 200 "$(key)" && is 401 sk_wrong && echo '200, and 401 for a wrong key'; }

enough_ready() {
  local service
  for service in "${services[@]}"; do [ "$(k get deployment "$service" -o jsonpath='{.status.availableReplicas}')" -ge 2 ] || return; done
}
restart_counts() { k get pods -l app.kubernetes.io/part-of=business-api -o jsonpath='{range .items[*]}{.status.containerStatuses[0].restartCount} {end}' | tr ' ' '\n' | awk '{s += $1} END {print s}'; }

# ---- who reaches what ----

addresses() { # podIP:port of every pod and every port that any of them has
  local each port ip name ports='3000 5000 8080 9090 5432 6379 443 80'
  for each in $spaces; do
    kubectl -n "$each" get pods -l "app.kubernetes.io/part-of=business-api" --field-selector=status.phase=Running \
      -o jsonpath='{range .items[*]}{.status.podIP}{" "}{.metadata.labels.app\.kubernetes\.io/name}{"\n"}{end}' |
      while read -r ip name; do for port in $ports; do echo "$ip:$port $name:$port"; done; done
  done
}
edges() { # SERVICE "NAME:PORT …": exactly these are open for its pods, beside their own
  reaches "$(pods "$1" | head -n 1)" "$2"
}
reaches() { # POD "NAME:PORT …" [NAMESPACE]: exactly these are open for it, beside its own
  local own open found where=${3:-$space}
  own=$(kubectl -n "$where" get "$1" -o jsonpath='{.status.podIP}')
  addresses | grep -v "^$own:" >"$work/addresses"
  open=$(kubectl -n "$where" exec "$1" -i -- node --input-type=module-typescript - $(cut -d ' ' -f 1 "$work/addresses") <deploy/kubernetes/test/walk.ts) || return
  found=$(grep -Ff <(sed 's/$/ /' <<<"$open") "$work/addresses" | cut -d ' ' -f 2 | sort -u | tr '\n' ' ')
  [ "$found" = "$(tr ' ' '\n' <<<"$2" | sort -u | tr '\n' ' ')" ] || { echo "open: $found"; return 1; }
  echo "$found"
}
