# Functions of init.sh here and in deploy/kubernetes: fresh secrets, and certificates of one authority.
command -v openssl >/dev/null || { echo "openssl is needed" >&2; exit 1; }

# Prints a line NAME=value for each.
fresh_secrets() {
  local passport_key
  passport_key=$(openssl genpkey -algorithm ed25519 -outform DER | base64 -w0)
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

# public_certificate HOST: a self-signed certificate for HOST and this machine, and its key.
public_certificate() {
  local key names="DNS:localhost,IP:127.0.0.1,IP:::1"
  [[ $1 == localhost || $1 =~ ^[0-9.]+$ ]] || names="DNS:$1,$names"
  key=$(openssl genpkey -algorithm ec -pkeyopt ec_paramgen_curve:P-256)
  openssl req -x509 -key /dev/stdin -days 397 -subj "/CN=$1" -addext "subjectAltName=$names" <<<"$key"
  echo "$key"
}

# make_certificates FOLDER: an authority in FOLDER/authority, and one certificate per service, for its name, that of its replicas
# (deploy/kubernetes) and localhost. Those that are there are kept.
make_certificates() {
  local tls=$1 service
  for service in gateway identity-service business-service webhook-service canary; do
    [ ! -e "$tls/$service/key.pem" ] || continue
    [ -e "$tls/authority/key.pem" ] || make_authority "$tls"
    make_certificate "$tls" "$service" "DNS:$service-replicas"
  done
}

# make_authority FOLDER: FOLDER/authority/{ca,key}.pem. It outlives its certificates: they are renewed without a new one.
make_authority() {
  local tls=$1
  if compgen -G "$tls/*/key.pem" >/dev/null; then
    echo "$tls/authority/key.pem is not there, and has signed the certificates beside it: put it back, or remove $tls" >&2
    exit 1
  fi
  mkdir -p "$tls/authority"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj '/CN=platform' \
    -keyout "$tls/authority/key.pem" -out "$tls/authority/ca.pem" 2>/dev/null
}

# make_certificate FOLDER NAME [DNS:MORE,…]: FOLDER/NAME/{ca,cert,key}.pem, signed by the authority in FOLDER.
make_certificate() {
  local tls=$1 name=$2 more=${3:+,$3} authority=$1/authority request
  request=$(mktemp)
  mkdir -p "$tls/$name"
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" \
    -keyout "$tls/$name/key.pem" -out "$request" 2>/dev/null
  openssl x509 -req -in "$request" -CA "$authority/ca.pem" -CAkey "$authority/key.pem" -CAserial "$authority/serial" \
    -CAcreateserial -days 825 -extfile <(echo "subjectAltName=DNS:$name$more,DNS:localhost") -out "$tls/$name/cert.pem" 2>/dev/null
  rm "$request"
  cp "$authority/ca.pem" "$tls/$name/ca.pem"
  # The containers' user must read them; the folder above stays closed to other users of this machine.
  chmod 755 "$tls/$name" && chmod 644 "$tls/$name"/*.pem
}
