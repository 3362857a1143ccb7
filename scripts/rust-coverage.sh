#!/bin/sh
# Which lines of the Rust sources their tests reach, by cargo-llvm-cov (built once into .cache/cargo).
# Usage: rust-coverage.sh VERSION FLOOR
# Fails below FLOOR percent of lines. Says why, and goes on, where the toolchain cannot do it.
set -eu
version=$1 floor=$2
cd "$(dirname "$0")/.."
out=target/coverage

if ! [ -x "$(rustc --print target-libdir)/../bin/llvm-profdata" ] && [ -z "${LLVM_PROFDATA:-}" ]; then
    echo "coverage: this Rust has no llvm-tools (rustup component add llvm-tools): the lines of Rust are not counted"
    exit 0
fi
PATH="$PWD/.cache/cargo/bin:$PATH"
command -v cargo-llvm-cov >/dev/null 2>&1 ||
    cargo install --quiet --locked --root .cache/cargo --version "$version" cargo-llvm-cov || {
    echo "coverage: cargo-llvm-cov could not be built: the lines of Rust are not counted"
    exit 0
}
mkdir -p "$out"
cargo llvm-cov --quiet --locked --html --output-dir "$out/rust"
cargo llvm-cov report --summary-only --fail-under-lines "$floor"
