#!/bin/sh
# deadheat-load as one static binary (musl) for this machine's architecture, packed into dist/ with its manual page.
# Needs: rustup target add x86_64-unknown-linux-musl (or aarch64-...), and musl-gcc for the C in our crates (Debian: musl-tools).
set -eu
cd "$(dirname "$0")/.."
arch=$(uname -m) target=$(uname -m)-unknown-linux-musl
die() { echo "static: $*" >&2; exit 1; }

command -v musl-gcc >/dev/null || die "musl-gcc not found: apt-get install musl-tools"
cargo build --quiet --release --locked --package deadheat-load --target "$target" ||
    die "not built; without musl's standard library of Rust: rustup target add $target"
program=target/$target/release/deadheat-load

# One that asks for an interpreter or a library would start on some systems only.
headers=$(readelf --wide --program-headers --dynamic "$program")
! echo "$headers" | grep -E 'INTERP|NEEDED' >&2 || die "$program is not static"

work=$(mktemp -d) server=
trap 'kill $server 2>/dev/null || :; rm -rf "$work"' EXIT
version=$("$program" --version)
name=deadheat-load-${version#* }-$arch-linux-musl
mkdir "$work/$name"
"$program" man >"$work/$name/deadheat-load.1"
cp "$program" LICENSE "$work/$name"

# It does what it is for: a run against its own server, with nothing wrong.
"$program" serve http --port 0 >/dev/null 2>"$work/said" &
server=$!
until address=$(sed -n 's/^listening on //p' "$work/said") && [ -n "$address" ]; do
    kill -0 $server 2>/dev/null || grep -q '^listening' "$work/said" || die "it does not serve"
    sleep 0.1
done
"$program" "http://$address/hello" --requests-count 1000 --connections 4 --fail-if 'errors > 0%' >"$work/run" ||
    die "it does not load: $(cat "$work/run")"

mkdir -p dist
tar --create --gzip --file "dist/$name.tar.gz" --owner 0 --group 0 --numeric-owner --directory "$work" "$name"
echo "dist/$name.tar.gz"
