#!/bin/sh
# Usage: run.sh PORT [WORKERS [OPTION;...]]: fills in the configuration and becomes nginx.
set -eu
port=${1:-${PORT:-8080}}
workers=${2:-1}
options=${3:-}

# nginx reads the configuration through a descriptor, so that nothing is left to clean up.
config=$(mktemp)
sed -e "s/@PORT@/$port/" -e "s/@WORKERS@/$workers/" -e "s/@SERVER_OPTIONS@/$options/" \
    nginx.conf.in >"$config"
exec 3<"$config"
rm "$config"
exec nginx -p "$PWD/" -e stderr -c /dev/fd/3
