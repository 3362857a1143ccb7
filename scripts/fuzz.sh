#!/bin/sh
# Runs each fuzz target of engine/fuzz for so many seconds, one after the other, and fails at the first
# crash: scripts/fuzz.sh [SECONDS [TARGET...]]. Needs a C++ compiler (for libFuzzer), but neither
# cargo-fuzz nor a nightly compiler. What is found stays in target/fuzz/found.
set -eu
cd "$(dirname "$0")/../engine/fuzz"
seconds=${1:-60}
[ $# -gt 0 ] && shift
targets=${*:-$(ls fuzz_targets | sed 's/\.rs$//')}
host=$(rustc -vV | sed -n 's/^host: //p')
folder=${CARGO_TARGET_DIR:-$(pwd)/../../target}/fuzz
# What cargo-fuzz gives to the compiler, but for AddressSanitizer: the targets are safe Rust.
coverage='-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4'
coverage="$coverage -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
coverage="$coverage -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
# --target keeps these flags from build scripts.
CARGO_TARGET_DIR=$folder RUSTFLAGS="$coverage -Cdebug-assertions -Coverflow-checks --cfg fuzzing" \
    cargo build --quiet --release --target "$host"
mkdir -p "$folder/found"
for target in $targets; do
    mkdir -p "$folder/corpus/$target"
    echo "$target: $seconds s"
    "$folder/$host/release/$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
        -print_final_stats=1 -verbosity=0 -artifact_prefix="$folder/found/$target-" "$folder/corpus/$target"
done
