#!/bin/sh
# Installs the shards that shard.lock names from where they are published, then builds. Exits 69 where they cannot be
# had: the last line on stderr says why. Where lib/ is there already, as `shards install` leaves it, it is taken.
set -eu

if [ ! -d lib ]; then
    if ! command -v shards >/dev/null; then
        echo "shards, Crystal's package manager, is missing" >&2
        exit 69
    fi
    # A host that does not answer shall not hold the build up.
    if ! GIT_TERMINAL_PROMPT=0 timeout 30 shards install --production --skip-postinstall --skip-executables >shards.log 2>&1; then
        cat shards.log >&2
        echo "the shards cannot be installed: $(tail -n 1 shards.log)" >&2
        exit 69
    fi
fi
exec crystal build --release --no-debug src/app.cr -o app
