#!/bin/sh
# build.sh [FOLDER]: installs the shard that FOLDER/shard.yml names (this folder's own where none is given) from
# where it is published, then builds. Exits 69 where it cannot be had: the last line on stderr says why. Where
# FOLDER/lib is there already, as `shards install` leaves it, it is taken.
set -eu

program=$PWD
cd "${1:-.}"
build() {
    # lib/ is looked for where the compiler is started.
    exec crystal build --release --no-debug "$program/src/bench.cr" -o "$program/bench"
}

if [ -d lib ]; then
    build
fi
if ! command -v shards >/dev/null; then
    echo "shards, Crystal's package manager, is missing" >&2
    exit 69
fi
# A shard of before Crystal 1.0 says that it needs a Crystal before 1.0.
older=${1:+--ignore-crystal-version}
# A host that does not answer shall not hold the build up.
if ! GIT_TERMINAL_PROMPT=0 timeout 30 shards install --production --skip-postinstall --skip-executables $older >shards.log 2>&1; then
    cat shards.log >&2
    echo "the shard cannot be installed: $(tail -n 1 shards.log)" >&2
    exit 69
fi
build
