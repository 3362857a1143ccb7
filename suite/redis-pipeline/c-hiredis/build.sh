#!/bin/sh
# Builds against the system's hiredis. Exits 69 where a tool or the library is missing.
set -eu

for tool in cc make pkg-config; do
    if ! command -v "$tool" >/dev/null; then
        echo "$tool is missing" >&2
        exit 69
    fi
done
if ! pkg-config --exists hiredis; then
    echo "hiredis is missing: apt-get install libhiredis-dev" >&2
    exit 69
fi
make
