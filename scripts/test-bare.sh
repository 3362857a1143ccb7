#!/bin/sh
# The commands of a newcomer on a bare machine: a minimal Debian made by debootstrap, a clone of HEAD in it.
# Usage, as root: test-bare.sh [RELEASE]...        (trixie bookworm)
#   COMMANDS   one a line; else: make setup, make race of two workloads, make test
#   KEEP       keep the roots and go on in them the next time
# Each root's folder is .cache/bare/RELEASE; logs beside it. Prints a table in Markdown.
# The mirror and the registries are those this machine is set up for.
set -u
cd "$(dirname "$0")/.." || exit 1
bare=$PWD/.cache/bare
[ "$(id -u)" = 0 ] || { echo "test-bare: needs root, for debootstrap and chroot" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "test-bare: apt-get install debootstrap" >&2; exit 2; }
mkdir -p "$bare" || exit 1
default_commands='make setup
make race WORKLOAD=fib
make race WORKLOAD=http-hello
make test'

# uri LABEL: where this machine has Debian's packages from.
uri() { apt-get indextargets --format '$(LABEL) $(REPO_URI)' | sed -n "s/^$1 //p" | head -n 1; }

# Everything is unpacked anew for each test, from one tar file for each release.
unpack() {
    release=$1 root=$2 tar=$bare/$1.tar
    if [ ! -e "$tar" ]; then
        echo "test-bare: making a minimal $release" >&2
        rm -rf "$root"
        debootstrap --variant=minbase --include=git,make,ca-certificates "$release" "$root" "$(uri Debian)" \
            >"$bare/$release.debootstrap.log" 2>&1 || { echo "test-bare: see $bare/$release.debootstrap.log" >&2; return 1; }
        tar -C "$root" -cf "$tar.new" . && mv "$tar.new" "$tar" || return 1
    fi
    rm -rf "$root"
    mkdir -p "$root" && tar -C "$root" -xf "$tar" || return 1
}

# What a user of this network would have set up: names, certificates, proxies, registries.
configure() {
    release=$1 root=$2
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    cp -rL /usr/local/share/ca-certificates "$root/usr/local/share/"
    chroot "$root" update-ca-certificates >/dev/null 2>&1
    {
        echo "deb $(uri Debian) $release main"
        echo "deb $(uri Debian) $release-updates main"
        [ -z "$(uri Debian-Security)" ] || echo "deb $(uri Debian-Security) $release-security main"
    } >"$root/etc/apt/sources.list"
    for file in /etc/pip.conf "$HOME/.config/pip/pip.conf" "$HOME/.cargo/config.toml" "$HOME/.npmrc" \
        "$HOME/.config/go/env" "$HOME/.m2/settings.xml"; do
        [ -e "$file" ] || continue
        there=$root$(echo "$file" | sed "s#^$HOME#/root#")
        # Which toolchains Go may fetch is this machine's own affair: a bare one has Go's default.
        mkdir -p "$(dirname "$there")" && sed '/^GOTOOLCHAIN=/d' "$file" >"$there"
    done
    # The network is shared with this machine: no service is started by its package.
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod +x "$root/usr/sbin/policy-rc.d"
    # As container images have it: what is thrown away need not survive a power cut.
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
    git clone -q --no-hardlinks "$PWD" "$root/deadheat"
}

# Variables for proxies and registries, but none that names a folder which is not in the root.
passed_on() {
    env | grep -E '^([Hh][Tt][Tt][Pp][Ss]?|[Nn][Oo]|[Aa][Ll][Ll])_(PROXY|proxy)=|^(PIP|CARGO|GO|npm_config|NPM_CONFIG|SSL_CERT|NODE_EXTRA_CA|REQUESTS_CA)[A-Z_a-z]*=' |
        while IFS='=' read -r name value; do
            case $value in /*) [ -e "$1$value" ] || continue ;; esac
            echo "$name=$value"
        done
}

# inside ROOT COMMAND: in namespaces of its own, so that nothing outlives it, neither process nor mount.
inside() {
    root=$1 command=$2
    passed_on "$root" | ROOT=$root COMMAND=$command xargs -d '\n' unshare --mount --pid --fork --kill-child sh -c '
        mount -t proc proc "$ROOT/proc" && mount --rbind /sys "$ROOT/sys" && mount --rbind /dev "$ROOT/dev" &&
            exec chroot "$ROOT" env -i HOME=/root TERM=dumb LANG=C.UTF-8 \
                PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
                "$@" sh -c "cd /deadheat && $COMMAND"' inside
}

verdicts() {
    sed -n 's/.*"verdict": *"\([a-z ]*\)".*/\1/p' "$1/deadheat/runs/latest/results.json" 2>/dev/null | sort | uniq -c |
        sed 's/^ *//' | paste -s -d ',' | sed 's/,/, /g'
}

worst=0
table='| release | command | outcome | time |
| --- | --- | --- | --: |'
for release in ${*:-trixie bookworm}; do
    root=$bare/$release
    if [ -z "${KEEP:-}" ] || [ ! -e "$root/deadheat" ]; then
        unpack "$release" "$root" && configure "$release" "$root" || exit 1
    fi
    name=$(. "$root/etc/os-release" && echo "$PRETTY_NAME")
    printf '%s\n' "${COMMANDS:-$default_commands}" >"$bare/commands"
    number=0
    while IFS= read -r command <&3; do
        number=$((number + 1)) log=$bare/$release.$number.log
        echo "test-bare: $release: $command" >&2
        began_s=$(date +%s)
        inside "$root" "$command" >"$log" 2>&1 </dev/null
        code=$?
        took_s=$(($(date +%s) - began_s))
        outcome="exit $code"
        [ $code = 0 ] && outcome=done || { worst=1; tail -n 5 "$log" >&2; }
        case $command in *" race"*) outcome="$outcome: $(verdicts "$root")" ;; esac
        table="$table
| $name | \`$command\` | $outcome | $((took_s / 60)) min $((took_s % 60)) s |"
    done 3<"$bare/commands"
    [ -n "${KEEP:-}" ] || rm -rf --one-file-system "$root"
done
printf '%s\n' "$table"
exit $worst
