#!/usr/bin/env bash
# Replaces the services of docker-compose.yml replica by replica, so that no request fails:
#   deploy/docker/upgrade.sh                      builds this checkout and runs it; the images of before stay
#   deploy/docker/upgrade.sh --back               runs the version before again
#   deploy/docker/upgrade.sh --restart SERVICE…   the same version, with secrets and variables read anew
# A new replica must be ready before an old one is stopped, and /readyz of the old one fails before it stops. PostgreSQL, Redis
# and the front have one container each. They are not replaced; the last lines name those whose configuration has changed.
# Also runs on macOS (bash 3.2). Run it again after an interruption.
set -euo pipefail
cd "$(dirname "$0")/../.."

# In the order of calls: called services before their callers.
readonly services="business-service identity-service webhook-service gateway"
# Seconds until a new replica must be ready.
readonly ready_within=120

usage() {
  sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

compose() {
  if docker compose version >/dev/null 2>&1; then docker compose "$@"; else docker-compose "$@"; fi
}

# quietly COMMAND...: shows the output of the command only if it fails.
quietly() {
  local said
  said=$("$@" 2>&1) || { tail -n 20 <<<"$said" >&2; return 1; }
}

# setting NAME: its value in .env.
setting() { sed -n "s/^$1=//p" .env | tail -n 1; }

# keep NAME VALUE: writes it into .env.
keep() {
  rm -f .env.part
  cp -p .env .env.part
  { sed "/^$1=/d" .env && echo "$1=$2"; } >.env.part
  mv -f .env.part .env
}

image() { echo "$(setting IMAGES | grep . || echo platform)/$1:$2"; }

# containers SERVICE: ids of its running containers, oldest first.
containers() {
  local id
  for id in $(compose ps -q "$1" 2>/dev/null); do
    docker inspect -f '{{if .State.Running}}{{.Created}} {{.Id}}{{end}}' "$id"
  done | sort | sed -n 's/.* //p'
}

count() { wc -w <<<"$*" | tr -d ' '; }

# Minimum number of replicas, as in docker-compose.yml.
replicas() { case $1 in webhook-service) echo 1 ;; *) echo 2 ;; esac }

# ready ID: waits until the container is ready; fails if it takes too long.
ready() {
  local deadline=$((SECONDS + ready_within))
  until [ "$(docker inspect -f '{{.State.Health.Status}}' "$1")" = healthy ]; do
    [ "$SECONDS" -lt "$deadline" ] && [ "$(docker inspect -f '{{.RestartCount}}' "$1")" = 0 ] || return 1
    sleep 1
  done
}

# add SERVICE: starts one more replica with the current docker-compose.yml. Removes it if it does not become ready.
add() {
  local service=$1 before after id started=$SECONDS
  before=$(containers "$service")
  quietly compose up -d --no-deps --no-recreate --no-build --scale "$service=$(($(count $before) + 1))" "$service"
  after=$(containers "$service")
  for id in $after; do
    case $before in *"$id"*) continue ;; esac
    if ready "$id"; then
      echo "$service: a new replica is ready ($((SECONDS - started)) s)"
      return
    fi
    docker logs --tail 5 "$id" >&2
    docker rm -f "$id" >/dev/null
  done
  echo "$service: the new replica did not get ready, and is removed. The old ones go on: nothing else has changed." >&2
  return 1
}

# retire SERVICE ID: stops a replica. Its /readyz responds 503 before its listeners close, so that callers have moved on by then.
retire() {
  local started=$SECONDS
  docker stop -t 40 "$2" >/dev/null
  docker rm "$2" >/dev/null
  echo "$1: an old replica has left ($((SECONDS - started)) s)"
}

# replace SERVICE: replaces every running replica by a new one, without ever running fewer than before.
replace() {
  local service=$1 old id wanted new=0
  # Removes ended containers, which Compose would count and start again.
  quietly compose rm -f "$service"
  old=$(containers "$service")
  wanted=$(count $old)
  [ "$wanted" -ge "$(replicas "$service")" ] || wanted=$(replicas "$service")
  for id in $old; do
    while [ "$(count $(containers "$service"))" -le "$wanted" ]; do
      add "$service"
      new=$((new + 1))
    done
    retire "$service" "$id"
  done
  while [ "$new" -lt "$wanted" ]; do
    add "$service"
    new=$((new + 1))
  done
}

# Migrates the tables to the new version, which the old one can use as well.
migrate() {
  local service
  compose exec -T postgres bash -s <deploy/docker/databases.sh
  for service in business-migration identity-migration; do
    quietly compose up --no-deps --no-build --exit-code-from "$service" "$service"
  done
  echo 'the databases are migrated'
}

# forget_images VERSION BEFORE: removes images of other versions, which take 400 MB each. Images with other tags are kept.
forget_images() {
  local service tag
  for service in $services canary; do
    docker image ls --format '{{.Tag}}' --filter "reference=$(image "$service" '*')" | while read -r tag; do
      [[ $tag =~ -20[0-9]{12}$ && $tag != "$1" && $tag != "$2" ]] || continue
      quietly docker image rm "$(image "$service" "$tag")" || true
    done
  done
}

# Reloads the mounted configuration of the front, but only if it has changed, because a reload may lose a connection.
reload_front() {
  local file=/etc/haproxy/front/haproxy.cfg sum
  sum=$(cksum <deploy/docker/front/haproxy.cfg | tr ' ' -)
  [ "$sum" != "$(setting FRONT_CONFIG)" ] || return 0
  compose exec -T front test -e $file 2>/dev/null || return 0
  compose exec -T front haproxy -c -f $file >/dev/null && compose exec -T front bash -c 'kill -USR2 1'
  keep FRONT_CONFIG "$sum"
}

# Names parts with one container whose configuration differs from docker-compose.yml.
name_changed() {
  local service id
  for service in front redis postgres; do
    id=$(containers "$service")
    [ "$(docker inspect -f '{{index .Config.Labels "com.docker.compose.config-hash"}}' "$id")" = \
      "$(compose config --hash="$service" | sed 's/.* //')" ] ||
      echo "$service has changed, and runs as before. At a quiet hour, as requests fail meanwhile: docker compose up -d --no-deps $service"
  done
}

run() {
  local service
  for service in $services; do replace "$service"; done
  [ -z "$(containers canary)" ] || quietly compose --profile canary up -d --no-deps --no-build canary
  reload_front
  name_changed
}

upgrade() {
  local version before service id
  deploy/docker/init.sh >/dev/null
  version=$(git describe --always 2>/dev/null || echo version)-$(date -u +%Y%m%d%H%M%S)
  # The version of the gateways, which are replaced last, so that an interrupted upgrade does not count as the previous version.
  id=$(containers gateway | head -n 1)
  [ -n "$id" ] || { echo 'No gateway runs: docker compose up --build -d starts everything.' >&2; exit 1; }
  before=$(docker inspect -f '{{.Config.Image}}' "$id" | sed -n 's#.*/gateway:##p' | grep . || echo initial)
  for service in $services; do
    id=$(containers "$service" | head -n 1)
    [ "$before" != initial ] || docker tag "$(docker inspect -f '{{.Image}}' "$id")" "$(image "$service" "$before")"
  done
  echo "building $version"
  export VERSION=$version
  quietly compose build business-migration identity-migration $services
  [ -z "$(containers canary)" ] || quietly compose --profile canary build canary
  unset VERSION
  keep VERSION "$version"
  keep VERSION_BEFORE "$before"
  migrate
  run
  forget_images "$version" "$before"
  echo "$version runs. Back to $before: deploy/docker/upgrade.sh --back"
}

back() {
  local version before service
  version=$(setting VERSION) before=$(setting VERSION_BEFORE)
  [ -n "$before" ] || { echo 'There is no version before: upgrade.sh has upgraded nothing yet.' >&2; exit 1; }
  for service in $services; do
    docker image inspect "$(image "$service" "$before")" >/dev/null
  done
  keep VERSION "$before"
  keep VERSION_BEFORE "$version"
  # The previous version works with the migrated databases.
  run
  echo "$before runs. Forward to $version: deploy/docker/upgrade.sh --back"
}

restart() {
  local service
  for service in "$@"; do
    case " $services " in *" $service "*) ;; *) echo "$service is none of: $services" >&2; exit 2 ;; esac
  done
  for service in "$@"; do replace "$service"; done
}

# A function, because an upgrade may change this file while it runs.
main() {
  [ -e .env ] || { echo 'Run deploy/docker/init.sh first.' >&2; exit 1; }
  case ${1:-} in
    '') upgrade ;;
    --back) [ $# = 1 ] || usage; back ;;
    --restart) shift; [ $# -gt 0 ] || usage; restart "$@" ;;
    *) usage ;;
  esac
}

main "$@"
exit
