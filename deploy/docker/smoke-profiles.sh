# Functions of smoke.sh: what runs with a profile of docker-compose.yml.

# Starts the canary as the operators' manual says, with a secret in a file, then removes it.
canary_measures() {
  printf 'whsec_%s' "$(openssl rand -base64 32)" >"$copy/.docker/canary/WEBHOOK_SECRET" && chmod a+r "$copy"/.docker/canary/* || return
  # identity-service admits the canary for this business only.
  printf '%s\n' "CANARY_BUSINESS_ID=$(field id <"$copy/business")" CANARY_WEBHOOK_SECRET_FILE=/run/canary/WEBHOOK_SECRET >>"$copy/.env" &&
    "$copy/deploy/docker/upgrade.sh" --restart identity-service &&
    run_compose --profile canary up -d --no-recreate canary && await_healthy canary && recovers has_measured_gateways &&
    run_compose --profile canary rm -sf canary
}
has_measured_gateways() {
  docker exec "$(containers canary)" node -e 'fetch("http://localhost:9090/promises.json").then((r) => r.json()).then((r) => process.exit(r.revocation.length === 2 ? 0 : 1))'
}
# Prometheus finds every replica and computes every rule; no alarm is raised.
prometheus_watches() {
  run_compose --profile observability up -d --no-recreate --no-build prometheus && await_healthy prometheus && recovers every_replica_is_up
}
prometheus() { curl -s --max-time 5 "http://127.0.0.1:$PROMETHEUS_PORT/api/v1/$1"; }
every_replica_is_up() {
  local service
  prometheus targets >"$copy/targets" && ! grep -q '"health":"\(down\|unknown\)"' "$copy/targets" || return
  for service in "${services[@]}"; do
    [ "$(grep -o "\"scrapePool\":\"$service\"" "$copy/targets" | wc -l)" = "$(containers "$service" | wc -l)" ] || return
  done
  prometheus rules >"$copy/rules" && grep -q '"health":"ok"' "$copy/rules" && ! grep -qE '"health":"(err|unknown)"|"state":"firing"' "$copy/rules"
}
# Grafana has the dashboards, and can query Prometheus.
grafana_shows() {
  local name
  run_compose --profile observability up -d --no-recreate --no-build grafana && await_healthy grafana || return
  for name in edge identity webhooks capacity; do
    recovers grafana "dashboards/uid/$(sed -n 's/^  "uid": "\(.*\)".*/\1/p' "$copy/deploy/observability/dashboards/$name.json")" >/dev/null || return
  done
  grafana 'datasources/proxy/1/api/v1/query?query=up' | grep -q '"status":"success"'
}
grafana() { curl -sf --max-time 5 -u "admin:$(cat "$copy/.docker/secrets/GRAFANA_PASSWORD")" "http://127.0.0.1:$GRAFANA_PORT/api/$1"; }
