#!/bin/sh
# Usage: run.sh [PORT]: fills in both configurations, and runs PHP-FPM and nginx until it is told to stop.
set -eu
host=${HOST:-127.0.0.1}
port=${1:-${PORT:-8080}}
# nginx started by root would give its worker to a user who cannot read the socket's folder.
user=
[ "$(id -u)" -ne 0 ] || user='user root;'

# A path of a socket is at most 107 bytes long, so it is not in this folder.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for name in nginx php-fpm; do
    sed -e "s|@HOST@|$host|" -e "s|@PORT@|$port|" -e "s|@ROOT@|$PWD|" -e "s|@SCRATCH@|$scratch|" -e "s|@USER@|$(id -un)|" \
        -e "s|@NGINX_USER@|$user|" "$name.conf.in" >"$scratch/$name.conf"
done

sh fpm.sh --nodaemonize --allow-to-run-as-root --fpm-config "$scratch/php-fpm.conf" &
fpm=$!
# nginx answers as soon as it listens, so only once there is a pool behind it.
while [ ! -S "$scratch/php.sock" ]; do
    kill -0 "$fpm" || exit 1
    sleep 0.02
done
nginx -p "$scratch/" -e stderr -c "$scratch/nginx.conf" &
nginx=$!

# nginx first, so that no request meets a pool that is gone.
trap 'kill -TERM "$nginx" 2>/dev/null || :' TERM INT
code=0
wait "$nginx" || code=$?
# The signal ended this wait, not nginx.
[ "$code" -le 128 ] || { code=0; wait "$nginx" || code=$?; }
kill -TERM "$fpm" 2>/dev/null || :
wait "$fpm" || :
exit "$code"
