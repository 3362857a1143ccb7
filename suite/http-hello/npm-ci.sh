#!/bin/sh
# Installs what package-lock.json names. Where the registry cannot be reached and the cache does not
# do, it exits with 69 (EX_UNAVAILABLE) and says why in the last line.
set -eu

npm ci --omit=dev --prefer-offline --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=20000 || {
    npm ping --fetch-retries=0 --fetch-timeout=5000 && exit 1
    echo 'the npm registry cannot be reached (npm config set registry URL)' >&2
    exit 69
}
