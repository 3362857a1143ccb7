#!/bin/sh
# Installs what a list of packages names and this machine lacks, where we may: as root, or by `sudo -n`.
# Usage: system-packages.sh [LIST]
# Never fails the set-up: without a package its contenders are unavailable, and the race goes on.
set -u
cd "$(dirname "$0")/.." || exit 1
list=${1:-system-packages.txt}

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: no apt here: install by hand what you want to race of: $(grep -v '^#' "$list" | tr '\n' ' ')"
    exit 0
fi

missing=""
for package in $(grep -v '^#' "$list"); do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=""
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "setup: to race everything, run: sudo apt-get install$missing"
    exit 0
fi

echo "setup: installing$missing"
log=$(mktemp)
$as_root apt-get update -qq >"$log" 2>&1
for package in $missing; do
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends "$package" >>"$log" 2>&1 ||
        echo "setup: apt-get install $package failed (log: $log)"
done
exit 0
