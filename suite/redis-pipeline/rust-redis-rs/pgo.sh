#!/bin/sh
# Builds with a profile: instrumented build, training run against a Redis of its own, optimised build; with
# the link-time optimisation that CARGO_PROFILE_RELEASE_LTO names, if any.
# Exits 69 where a tool is missing; the last line on stderr says which.
set -eu

unavailable() {
    echo "$1" >&2
    exit 69
}

host=$(rustc -vV | sed -n 's/^host: //p')
profdata="$(rustc --print sysroot)/lib/rustlib/$host/bin/llvm-profdata"
[ -x "$profdata" ] || unavailable "llvm-profdata of this rustc is missing: rustup component add llvm-tools"
command -v redis-server >/dev/null || unavailable "redis-server is missing: the training run needs it"

profiles="$PWD/pgo-profiles"
rm -rf "$profiles"
mkdir "$profiles"
RUSTFLAGS="-Cprofile-generate=$profiles" cargo build --release --locked --target-dir target-instrumented

redis=
trap '[ -z "$redis" ] || kill "$redis"' EXIT
port=$((20000 + $$ % 20000))
for _ in 1 2 3 4 5 6 7 8 9 10; do
    port=$((port + 1))
    redis-server --bind 127.0.0.1 --port "$port" --save "" --appendonly no >/dev/null &
    redis=$!
    sleep 1
    # It ends at once where the port is taken.
    kill -0 "$redis" 2>/dev/null && break
    redis=
done
[ -n "$redis" ] || unavailable "no free port for the training run's redis-server"

target-instrumented/release/bench --host 127.0.0.1 --port "$port" --iterations 100000 --rounds 2
"$profdata" merge -o "$profiles/merged.profdata" "$profiles"
RUSTFLAGS="-Cprofile-use=$profiles/merged.profdata" cargo build --release --locked --target-dir target
cp target/release/bench bench
