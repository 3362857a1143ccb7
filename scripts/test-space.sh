#!/bin/sh
# Too little room for the tests is said at once, not by a linker nine minutes later.
# The figures are of a fresh clone's `make test` (du of target, .venv and the caches it made).
set -u
cd "$(dirname "$0")/.." || exit 1
fresh_mb=8000 again_mb=1500
[ -e target/debug/deadheat-load ] && need_mb=$again_mb || need_mb=$fresh_mb
for folder in . "${TMPDIR:-/tmp}"; do
    free_mb=$(df -Pm "$folder" | awk 'NR == 2 { print $4 }')
    [ "$free_mb" -ge "$need_mb" ] || {
        echo "make test: $free_mb MB are free in $(cd "$folder" && pwd), and $need_mb MB are needed;" \
            "'deadheat cache' shows what builds of races take, and prunes them" >&2
        exit 1
    }
done
