#!/bin/sh
# What `make race` needs: packages of the system, a virtual environment, our own programs in it.
# Usage: setup.sh system|programs
# Each may be cut off and run again: it goes on. One at a time in a folder: the next one waits.
set -u
cd "$(dirname "$0")/.." || exit 1
venv=.venv logs=.cache/setup
PATH=$PATH:/usr/sbin:/sbin

say() { echo "setup: $*" >&2; }
die() { say "$*"; exit 1; }

# The oldest Rust that our crates are built with.
oldest_rust=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml engine/Cargo.toml launcher/Cargo.toml | sort -V | tail -n 1)
oldest_python=3.11
space_mb=2500 # .venv, target and cargo's registry, measured: 1.9 GB

at_least() { [ "$(printf '%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }
rust_here() { command -v cargo >/dev/null 2>&1 && rustc --version 2>/dev/null | cut -d ' ' -f 2; }
candidate() { apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: //p' | grep -v none; }

rust_advice() {
    if command -v rustup >/dev/null 2>&1; then echo "rustup update stable"; return; fi
    for package in cargo cargo-web; do
        version=$(candidate "$package")
        # Debian's cargo was numbered 0.x up to Rust 1.76.
        [ -n "$version" ] && case $version in 0.*) false ;; *) at_least "$version" "$oldest_rust" ;; esac &&
            echo "apt-get install $package" && return
    done
    [ -n "$(candidate rustup)" ] && echo "apt-get install rustup && rustup default stable" && return
    echo "rustup (rustup.rs), or a wheel of deadheat, which needs no Rust"
}

# Too old a Rust or Python is said before anything is downloaded. Both may be missing: they are installed.
check_versions() {
    rust=$(rust_here)
    [ -z "$rust" ] || at_least "$rust" "$oldest_rust" ||
        die "Rust $oldest_rust or newer is needed, and $(command -v cargo) is of $rust: $(rust_advice)"
    python=$(python_here)
    [ -n "$python" ] || ! command -v "${PYTHON:-python3}" >/dev/null 2>&1 ||
        die "Python $oldest_python or newer is needed, and ${PYTHON:-python3} is $(python_version "${PYTHON:-python3}"):" \
            "install a newer one beside it, then PYTHON=python$oldest_python make setup"
}

python_version() { "$1" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null; }

# $PYTHON; without it python3, or the newest that has a number in its name.
python_here() {
    for name in ${PYTHON:-python3 python3.15 python3.14 python3.13 python3.12 python3.11}; do
        version=$(python_version "$name")
        [ -n "$version" ] && at_least "$version" "$oldest_python" && echo "$name" && return
    done
}

check_space() {
    free_mb=$(df -Pm . | awk 'NR == 2 { print $4 }')
    [ -e "$venv/.installed" ] || [ "$free_mb" -ge "$space_mb" ] ||
        die "$free_mb MB are free in $PWD, and $space_mb MB are needed"
    mkdir -p "$venv" "$logs" 2>/dev/null && [ -w "$venv" ] || die "cannot write $PWD"
    cargo_home=${CARGO_HOME:-$HOME/.cargo}
    mkdir -p "$cargo_home" 2>/dev/null && [ -w "$cargo_home" ] ||
        die "cannot write $cargo_home, where Rust keeps libraries: CARGO_HOME=FOLDER make setup uses another folder"
}

# Of a log: what went wrong, in one line.
problem() {
    if grep -Eqi 'no space left|disk quota' "$1"; then
        echo "the disk is full"
    elif grep -Eqi 'name resolution|could ?n.t resolve host|could not resolve|network is unreachable|connection refused|failed to connect|NewConnectionError|timed out|ProxyError' "$1"; then
        echo "no network, or a proxy is needed (https_proxy=...)"
    elif grep -Eqi 'read-only file system|permission denied' "$1"; then
        echo "a folder cannot be written: $(grep -Eio '.{0,80}(read-only file system|permission denied).{0,80}' "$1" | tail -n 1)"
    else
        tail -n 15 "$1" >&2
        echo "above are the last lines of $1"
    fi
}

# followed KIND TOTAL WHAT COMMAND...: runs it with progress; where it fails, one line.
followed() {
    kind=$1 total=$2 what=$3 log=$logs/$1.log
    shift 3
    { "$@" 2>&1; echo "status $?"; } | scripts/progress.sh "$kind" "$log" "$total"
    grep -q '^status 0$' "$log" || die "$what failed: $(problem "$log"); make setup goes on from there"
}

system() {
    check_versions
    check_space
    REQUIRED="python3-venv gcc cargo" scripts/system-packages.sh
    code=$?
    case $code in
    0 | 4) ;; # 4: something is left to be installed, by the next set-up
    3)
        [ -n "$(rust_here)" ] || say "Rust $oldest_rust or newer is needed: $(rust_advice)"
        exit 1
        ;;
    *) exit 1 ;;
    esac
    check_versions
    [ -n "$(rust_here)" ] || die "Rust $oldest_rust or newer is needed: $(rust_advice)"
    command -v cc >/dev/null 2>&1 || die "a C compiler is needed (gcc), for Rust's linker"
    [ $code = 4 ] || touch "$venv/.system"
}

programs() {
    check_versions
    check_space
    python=$(python_here)
    # A virtual environment that was cut off, or whose Python is gone, is made anew.
    if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
        say "making a virtual environment with $(command -v "$python") $(python_version "$python")"
        rm -rf "$venv/bin" "$venv/lib" "$venv/lib64" "$venv/include" "$venv/pyvenv.cfg"
        "$python" -m venv "$venv" >"$logs/venv.log" 2>&1 ||
            die "python -m venv failed: $(problem "$logs/venv.log")"
    fi
    # Ahead of pip, which would build the same where nobody sees it.
    target=$(rustc -vV | sed -n 's/^host: //p')
    followed cargo "" "downloading Rust libraries" cargo fetch --locked --target "$target"
    total=$(cargo tree --workspace --edges normal,build --target "$target" --prefix none --locked --offline 2>/dev/null |
        sort -u | wc -l)
    say "compiling our programs with Rust $(rust_here)"
    for crate in engine:deadheat-load launcher:deadheat-launch; do
        followed cargo "$total" "compiling ${crate#*:}" \
            cargo rustc --release --locked --manifest-path "${crate%%:*}/Cargo.toml" --bin "${crate#*:}"
    done
    say "installing Python packages"
    followed pip "$(grep -c == constraints.txt)" "installing Python packages" \
        "$venv/bin/python" -m pip install --disable-pip-version-check --progress-bar off \
        --constraint constraints.txt --editable '.[dev]'
    touch "$venv/.installed"
    say "ready"
}

# Somebody else may have done it while we waited.
stale() { [ ! -e "$venv/.$1" ] || [ -n "$(find $2 -newer "$venv/.$1" -not -path '*/fuzz/*' 2>/dev/null | head -n 1)" ]; }

locked() {
    case $1 in
    system) ! stale system "system-packages.txt scripts" || system ;;
    programs) ! stale installed "pyproject.toml constraints.txt Cargo.toml Cargo.lock engine launcher" || programs ;;
    *) die "usage: setup.sh system|programs" ;;
    esac
}

case ${1:-} in
--locked) locked "${2:-}" ;;
*)
    mkdir -p "$logs" "$venv" 2>/dev/null || die "cannot write $PWD"
    command -v flock >/dev/null 2>&1 || exec "$0" --locked "$@"
    # -o: what a package starts (a database) must not inherit the lock.
    flock -o -n -E 75 "$logs/lock" "$0" --locked "$@"
    code=$?
    [ $code = 75 ] || exit $code
    say "another set-up is running in this folder: waiting for it"
    exec flock -o "$logs/lock" "$0" --locked "$@"
    ;;
esac
