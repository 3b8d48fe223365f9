# Functions of init.sh here and in deploy/kubernetes: fresh secrets, and certificates of one authority. Both scripts may be killed
# at any moment: files get their names when they are complete, and the next run creates what is missing. They also run on macOS,
# with bash 3.2 and options that GNU and BSD share. The openssl of macOS is LibreSSL, which cannot create Ed25519 keys.
case $(openssl version || true) in
  OpenSSL*) ;;
  *) echo "OpenSSL is needed, as openssl on the PATH (macOS: brew install openssl)" >&2; exit 1 ;;
esac

upper() { printf '%s' "$1" | tr '[:lower:]' '[:upper:]'; }

# store FILE VALUE MODE: writes the file completely or not at all.
store() {
  [ -n "$2" ] || { echo "there is no value for $1" >&2; return 1; }
  printf '%s' "$2" >"$1.part" && chmod "$3" "$1.part" && mv -f "$1.part" "$1"
}

# quietly COMMAND...: shows the output of the command only if it fails.
quietly() {
  local said
  said=$("$@" 2>&1) || { echo "$said" >&2; return 1; }
}

# Prints a line NAME=value for each secret that does not derive from others.
fresh_secrets() {
  cat <<ENV
POSTGRES_PASSWORD=$(openssl rand -hex 24)
IDENTITY_DATABASE_PASSWORD=$(openssl rand -hex 24)
IDENTITY_RUNNER_PASSWORD=$(openssl rand -hex 24)
BUSINESS_DATABASE_PASSWORD=$(openssl rand -hex 24)
BUSINESS_RUNNER_PASSWORD=$(openssl rand -hex 24)
WEBHOOK_DATABASE_PASSWORD=$(openssl rand -hex 24)
REDIS_PASSWORD=$(openssl rand -hex 24)
KEY_PEPPERS=$(openssl rand -hex 32)
CREDENTIAL_TAG_KEYS=$(openssl rand -hex 32)
PASSPORT_PRIVATE_KEY=$(openssl genpkey -algorithm ed25519 -outform DER | openssl base64 -A)
GATEWAY_SECRET=$(openssl rand -hex 32)
SESSION_SECRETS=$(openssl rand -hex 32)
ENCRYPTION_KEYS=$(openssl rand -base64 32)
WEBHOOK_ENCRYPTION_KEYS=$(openssl rand -base64 32)
# SMTP server for emails (sign-up, password reset). This is a placeholder: put your server in.
SMTP_URL=smtp://127.0.0.1:25
ENV
}

# passport_public_key KEY: PASSPORT_PUBLIC_KEYS of a PASSPORT_PRIVATE_KEY.
passport_public_key() {
  openssl base64 -d -A <<<"$1" | openssl pkey -inform DER -pubout -outform DER | openssl base64 -A
}

# public_certificate HOST: a self-signed certificate for HOST and this machine, and its key.
public_certificate() {
  local key names="DNS:localhost,IP:127.0.0.1,IP:::1"
  [[ $1 == localhost || $1 =~ ^[0-9.]+$ ]] || names="DNS:$1,$names"
  key=$(openssl genpkey -algorithm ec -pkeyopt ec_paramgen_curve:P-256)
  openssl req -x509 -key /dev/stdin -days 397 -subj "/CN=$1" -addext "subjectAltName=$names" <<<"$key" && echo "$key"
}

# make_certificates FOLDER: an authority in FOLDER/authority, and one certificate per service, for its name, that of its replicas
# (deploy/kubernetes) and localhost. Existing ones are kept.
make_certificates() {
  local tls=$1 service
  for service in gateway identity-service business-service webhook-service canary; do
    [ ! -s "$tls/$service/key.pem" ] || [ ! -s "$tls/$service/cert.pem" ] || [ ! -s "$tls/$service/ca.pem" ] || continue
    make_authority "$tls" && make_certificate "$tls" "$service" "DNS:$service-replicas" || return
  done
}

# make_authority FOLDER: FOLDER/authority/{ca,key}.pem, unless they exist. The authority lasts longer than its certificates, so
# that they can be renewed without a new one.
make_authority() {
  local tls=$1 authority=$1/authority
  [ ! -s "$authority/key.pem" ] || [ ! -s "$authority/ca.pem" ] || return 0
  if compgen -G "$tls/*/cert.pem" >/dev/null; then
    echo "$authority lacks key.pem or ca.pem, and has signed the certificates beside it: put it back, or remove $tls" >&2
    exit 1
  fi
  mkdir -p "$authority" &&
    quietly openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj '/CN=platform' \
      -keyout "$authority/key.part" -out "$authority/ca.part" &&
    mv -f "$authority/ca.part" "$authority/ca.pem" && mv -f "$authority/key.part" "$authority/key.pem"
}

# make_certificate FOLDER NAME [DNS:MORE,…]: FOLDER/NAME/{ca,cert,key}.pem, signed by the authority in FOLDER.
make_certificate() {
  local tls=$1 name=$2 more=${3:+,$3} authority=$1/authority new=$1/.new
  rm -rf "$new" && mkdir -p "$new" "$tls/$name" &&
    echo "subjectAltName=DNS:$name$more,DNS:localhost" >"$new/names" &&
    quietly openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" \
      -keyout "$new/key.pem" -out "$new/request" &&
    quietly openssl x509 -req -in "$new/request" -CA "$authority/ca.pem" -CAkey "$authority/key.pem" \
      -CAserial "$authority/serial" -CAcreateserial -days 825 -extfile "$new/names" -out "$new/cert.pem" &&
    cp "$authority/ca.pem" "$new/ca.pem" || return
  # Readable for the users of containers; the parent folder stays closed to other users of this machine.
  chmod 755 "$tls/$name" && chmod 644 "$new"/*.pem || return
  # Replaces single files, because containers have mounted the folder. The key comes last: without it, the next run starts over.
  mv -f "$new/ca.pem" "$new/cert.pem" "$tls/$name" && mv -f "$new/key.pem" "$tls/$name" && rm -r "$new"
}
