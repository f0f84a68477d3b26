#!/bin/sh
# Writes what `docker compose up` needs into a directory: .env, secrets/ (one directory per container, one file per secret), compose.yaml,
# and a Caddy that ends TLS. Running it again changes no secret and no line of .env; it adds what is missing. With --start it starts
# everything and prints the link to the set-up. docs/operate/images.md
set -eu
umask 077

usage() {
  cat <<'TEXT'
sh install.sh --host NAME [options]
  --host NAME        the public name of the pages; it must lead to this machine, ports 80 and 443
  --directory DIR    where to write, /opt/stabletill unless given
  --image IMAGE      the image to run; without it, compose builds it from a checkout
  --watch-only       no signer: give the public keys in .env (WATCH_ONLY_…)
  --start            starts everything with docker compose and prints the link to the set-up
TEXT
}

host= directory=/opt/stabletill image= watch_only= start=
while [ $# -gt 0 ]; do
  case $1 in
    --host | --directory | --image)
      [ $# -gt 1 ] || { usage >&2; exit 2; }
      case $1 in --host) host=$2 ;; --directory) directory=$2 ;; *) image=$2 ;; esac
      shift ;;
    --watch-only) watch_only=yes ;;
    --start) start=yes ;;
    --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
source=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)

# The name goes into addresses and configurations, so it may be nothing but a name.
case $host in
  '' | *[!a-z0-9.-]* | .* | *..* | -*) echo 'Name the public host: --host pay.example.com' >&2; exit 2 ;;
esac
[ -f "$source/compose.yaml" ] || { echo "$source/compose.yaml is missing: run the script from a release or a checkout." >&2; exit 1; }

mkdir -p "$directory/secrets"
chmod 711 "$directory" "$directory/secrets"
# A keystore's passphrase and the master keys cannot be made anew for data that the old ones encrypted.
if [ -f "$directory/.env" ] && [ ! -f "$directory/secrets/web/MASTER_KEYS" ]; then
  echo "$directory/.env exists, but secrets/web/MASTER_KEYS beside it does not: put the secrets back before you go on." >&2
  exit 1
fi

random() { head -c 32 /dev/urandom | base64 | tr -d '\n'; }
letters() { head -c 64 /dev/urandom | base64 | tr -dc 'A-Za-z0-9' | head -c 40; }
# secret TEXT CONTAINER/NAME…: the same secret for each container that needs it, unless the first of them has it.
secret() {
  text=$1
  shift
  first=$directory/secrets/$1
  [ ! -s "$first" ] || text=$(cat "$first")
  for name; do
    file=$directory/secrets/$name
    mkdir -p "${file%/*}"
    [ -s "$file" ] || printf '%s' "$text" > "$file.new"
    [ ! -e "$file.new" ] || mv "$file.new" "$file"
  done
}
secret "$(letters)" database/DATABASE_PASSWORD migrate/DATABASE_PASSWORD terminal/DATABASE_PASSWORD
secret "$(letters)" web/DATABASE_PASSWORD migrate/WEB_DATABASE_PASSWORD
secret "$(letters)" worker/DATABASE_PASSWORD migrate/WORKER_DATABASE_PASSWORD
secret "1:$(random)" web/MASTER_KEYS worker/MASTER_KEYS terminal/MASTER_KEYS
secret "$(random)" worker/EVIDENCE_KEY signer/EVIDENCE_KEY terminal/EVIDENCE_KEY
secret "$(letters)" signer/KEYSTORE_PASSPHRASE
# The processes run as user 1000 in their containers and read nothing else of this directory.
chmod 700 "$directory"/secrets/*
chmod 400 "$directory"/secrets/*/*
[ "$(id -u)" -ne 0 ] || chown -R 1000:1000 "$directory"/secrets/*

setting() { grep -q "^$1=" "$directory/.env" 2>/dev/null || printf '%s=%s\n' "$1" "$2" >> "$directory/.env"; }
setting PUBLIC_URL "https://$host"
# Caddy, in its container or on this machine, is reached and reaches the web process by compose's network `outside`.
setting TRUSTED_PROXIES 172.30.53.0/24
[ -z "$image" ] || setting STABLETILL_IMAGE "$image"
if [ -n "$watch_only" ]; then
  setting SIGNERS 0
  setting SIGNER_SOCKET ''
fi
chmod 600 "$directory/.env"

cp "$source/compose.yaml" "$directory/compose.yaml"
# A checkout is built where it is; a release brings its image.
[ -n "$image" ] || sed -i "s|^  build: \.\$|  build: $source|" "$directory/compose.yaml"
cat > "$directory/compose.override.yaml" <<'TEXT'
# The proxy that ends TLS. Delete this file where another one does.
services:
  proxy:
    image: ${CADDY_IMAGE:-caddy:2.8.4-alpine}
    restart: unless-stopped
    ports: ['80:80', '443:443', '443:443/udp']
    volumes: ['./Caddyfile:/etc/caddy/Caddyfile:ro', 'certificates:/data']
    networks: [outside]
    mem_limit: 256m
    logging: { driver: '${LOG_DRIVER:-json-file}', options: { max-size: 10m, max-file: '5' } }
volumes:
  certificates: {}
TEXT
[ -f "$directory/Caddyfile" ] || cat > "$directory/Caddyfile" <<TEXT
# Ends TLS with a certificate of its own and passes paths and queries on unchanged, which signatures cover. Metrics stay inside.
$host {
	@inside path /metrics /api/cron /livez /readyz
	respond @inside 404
	reverse_proxy web:3000
}
TEXT
chmod 644 "$directory/compose.yaml" "$directory/compose.override.yaml" "$directory/Caddyfile"

echo "Written to $directory. Back up $directory/secrets apart from the database."
if [ -z "$start" ]; then
  echo "Put the endpoints of your networks into secrets/web and secrets/worker, one file each (LIVE_ETHEREUM_URLS), then run:"
  echo "  cd $directory"
  [ -n "$watch_only" ] || echo "  docker compose run --rm signer stabletill signer init    # once: it makes the keystore"
  echo "  docker compose up -d && docker compose logs web | grep 'There is no operator yet'"
  exit 0
fi
cd "$directory"
# Only this makes a wallet, and it is left alone where there is one.
if [ -z "$watch_only" ] && ! docker compose run --rm -T signer test -f /var/lib/stabletill/keystore.json; then
  docker compose run --rm -T signer stabletill signer init
fi
docker compose up -d
tries=0
until link=$(docker compose logs web 2>/dev/null | grep -o 'https://[^ ]*set-\{0,1\}up[^ ]*' | tail -n 1) && [ -n "$link" ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || { echo "The web process printed no link within a minute: docker compose logs web" >&2; exit 1; }
  sleep 1
done
echo "Make the first operator within a day: $link"
