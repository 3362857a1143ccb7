#!/bin/sh
# Usage: run.sh PORT [WORKERS [OPTION;...]]: fills in the configuration and becomes nginx, at HOST. With TLS_CERT and
# TLS_KEY it listens for HTTPS, with HTTP2=1 for HTTP/2: over TLS beside HTTP/1.1, without it alone.
set -eu
host=${HOST:-127.0.0.1}
port=${1:-${PORT:-8080}}
workers=${2:-1}
options=${3:-}
listen=${TLS_CERT:+ ssl}${HTTP2:+ http2}
certificate=${TLS_CERT:+"ssl_certificate $TLS_CERT; ssl_certificate_key $TLS_KEY; ssl_protocols TLSv1.2 TLSv1.3;"}

# nginx reads the configuration through a descriptor, so that nothing is left to clean up.
config=$(mktemp)
sed -e "s/@HOST@/$host/" -e "s/@PORT@/$port/" -e "s/@WORKERS@/$workers/" -e "s/@SERVER_OPTIONS@/$options/" \
    -e "s/@LISTEN_OPTIONS@/$listen/" -e "s|@CERTIFICATE@|$certificate|" nginx.conf.in >"$config"
exec 3<"$config"
rm "$config"
exec nginx -p "$PWD/" -e stderr -c /dev/fd/3
