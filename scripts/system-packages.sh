#!/bin/sh
# Installs what lists of packages name and this machine lacks, where we may: as root, or by `sudo -n`.
# Usage: system-packages.sh [--tell] LIST...      --tell: print the missing packages, install nothing
#
# A line of a list: PACKAGE [(>= VERSION)] [| PACKAGE [(>= VERSION)]]... [unless COMMAND]
# The first alternative that this release has in that version is taken; nothing, where COMMAND is there already.
# Without a package its contenders are unavailable, and the race goes on: exit status 0, or 4 where another try may
# help. Only where a package of REQUIRED (the first name of its line) is missing: 3 where this system does not have
# it, 5 without a network or root; said in one line, and nothing is installed.
set -u
cd "$(dirname "$0")/.." || exit 1
tell=""
[ "${1:-}" = --tell ] && tell=yes && shift
lists=${*:-system-packages.txt}
required=" ${REQUIRED:-} "
logs=.cache/setup

wanted() { cat $lists | sed 's/#.*//' | grep -v '^ *$'; }
names() { sed 's/ unless .*//; s/([^)]*)//g; s/|/ /g'; }

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    [ -n "$tell" ] || echo "setup: no apt here: install by hand what you want to race of: $(wanted | names | tr -s ' \n' ' ')"
    exit 0
fi

installed() { dpkg-query -W -f '${Status} ${Version}\n' "$1" 2>/dev/null | sed -n 's/^install ok installed //p'; }
new_enough() { [ -n "$1" ] && [ "$1" != "(none)" ] && { [ -z "$2" ] || dpkg --compare-versions "$1" ge "$2"; }; }

# Each line's alternatives, `name version` a line of its own.
alternatives() { printf '%s\n' "${1%% unless *}" | tr '|' '\n' | sed 's/[()]//g; s/>=//'; }

# Lines of which nothing is installed (in that version) and whose command is not there.
lacking() {
    wanted | while IFS= read -r line; do
        case $line in *" unless "*) command -v "${line##* unless }" >/dev/null 2>&1 && continue ;; esac
        alternatives "$line" | {
            while read -r name version; do
                new_enough "$(installed "$name")" "$version" && exit 0
            done
            exit 1
        } || printf '%s\n' "$line"
    done
}

# Of lines on stdin: the package to install, or `-` and the line where this release has none.
chosen() {
    lines=$(cat)
    candidates=$(printf '%s\n' "$lines" | names | xargs -r apt-cache policy 2>/dev/null |
        sed -n 's/^\([^ ].*\):$/\1/p; s/^  Candidate: //p' | paste -d ' ' - -)
    printf '%s\n' "$lines" | while IFS= read -r line; do
        alternatives "$line" | {
            while read -r name version; do
                candidate=$(printf '%s\n' "$candidates" | sed -n "s/^$name //p")
                new_enough "$candidate" "$version" && echo "$name" && exit 0
            done
            echo "- ${line%% unless *}"
        }
    done
}

# Those of the lines on stdin that the set-up cannot do without.
required_of() { while read -r name rest; do case $required in *" $name "*) echo "$name" ;; esac; done; }

lines=$(lacking)
[ -n "$lines" ] || exit 0
# Without apt's lists nothing is known of candidates: the first of each line, then.
missing=$(printf '%s\n' "$lines" | chosen | grep -v '^-' | tr '\n' ' ')
[ -n "$missing" ] || missing=$(printf '%s\n' "$lines" | sed 's/|.*//' | names | tr -s ' \n' ' ')
[ -z "$tell" ] || { echo "$missing"; exit 0; }

if [ "$(id -u)" = 0 ]; then
    as_root=""
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    missing="sudo apt-get install $(printf '%s' "$missing" | sed 's/ *$//')"
    [ -z "$(printf '%s\n' "$lines" | required_of)" ] || { echo "setup: run this, then make setup again: $missing"; exit 5; }
    echo "setup: to race everything, run: $missing"
    exit 0
fi

mkdir -p "$logs" || exit 1
log=$logs/apt.log
apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"; }
problem() {
    if grep -q 'No space left\|enough free space' "$log"; then
        echo "the disk is full"
    elif grep -Eq 'Temporary failure resolving|Could not (resolve|connect)|Unable to connect|Network is unreachable' "$log"; then
        echo "no network, or a proxy is needed (http_proxy=...)"
    elif grep -q 'Read-only file system' "$log"; then
        echo "the system's folders are read-only"
    else
        echo "see $log"
    fi
}

echo "setup: looking for system packages"
apt update -q >"$log" 2>&1
later=0
if grep -q '^E:\|^W: Failed' "$log"; then
    later=4
    echo "setup: apt-get update: $(problem)"
    # Nothing at all was reached (one source of several may be): each package would be waited for in turn.
    if ! grep -q '^\(Hit\|Get\):' "$log"; then
        [ -z "$(printf '%s\n' "$lines" | required_of)" ] || exit 5
        exit 4
    fi
fi
choice=$(printf '%s\n' "$lines" | chosen)
packages=$(printf '%s\n' "$choice" | grep -v '^-' | tr '\n' ' ')
absent=$(printf '%s\n' "$choice" | sed -n 's/^- //p' | paste -s -d ',' | sed 's/ *,/, /g')
impossible=$(printf '%s\n' "$choice" | sed -n 's/^- //p' | required_of | paste -s -d ' ')
if [ -n "$impossible" ]; then
    [ $later = 4 ] || echo "setup: this system's packages have no (or too old a) $impossible"
    exit 3
fi
[ -z "$absent" ] || echo "setup: not to be had from this system's packages: $absent"
[ -n "$packages" ] || exit "$later"

if [ -n "$(dpkg --audit 2>/dev/null)" ]; then
    echo "setup: configuring packages that were left half installed"
    $as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a >>"$log" 2>&1
fi
# What cannot be installed beside what is here (another vendor's nodejs, say) must not keep the rest out.
if ! apt install -s -q --no-install-recommends $packages >"$log" 2>&1; then
    possible=""
    for package in $packages; do
        if apt install -s -q --no-install-recommends $possible "$package" >"$log" 2>&1; then
            possible="$possible $package"
        else
            echo "setup: apt-get install $package would not go together with what is installed: left out"
        fi
    done
    packages=$possible
    [ -n "$packages" ] || exit "$later"
    apt install -s -q --no-install-recommends $packages >"$log" 2>&1
fi
count=$(grep -c '^Inst ' "$log")
echo "setup: installing system packages ($count with what they need themselves): $packages"
# Its progress by a pipe of its own, which apt makes non-blocking: a package's script that writes to it would fail.
{
    $as_root env DEBIAN_FRONTEND=noninteractive sh -c 'exec apt-get "$@" 3>&1 >>"$0" 2>&1' "$PWD/$log" \
        install -y -q --no-install-recommends -o DPkg::Lock::Timeout=300 -o APT::Status-Fd=3 -o Dpkg::Use-Pty=0 $packages
    echo "status $?"
} | scripts/progress.sh apt "$logs/apt-progress.log"
grep -q '^status 0$' "$logs/apt-progress.log" && exit "$later"
echo "setup: apt-get install failed: $(problem); make setup goes on from there"
exit 4
