#!/bin/sh
# Builds a release (in development mode: what `mix` runs). Where the packages cannot be had, it exits
# with 69 (EX_UNAVAILABLE) and says why in the last line, within seconds. Whatever mirror, offline
# mode or cache the user's Hex is set to is used. See docs/elixir.md.
set -eu
export MIX_ENV="${MIX_ENV:-prod}"
export HEX_HTTP_TIMEOUT="${HEX_HTTP_TIMEOUT:-8}"

unavailable() {
    echo "$1 (set HEX_MIRROR, or see docs/elixir.md)" >&2
    exit 69
}

# One small package that every lock file here names.
hex_answers() (
    probe=$(mktemp -d)
    trap 'rm -rf "$probe"' EXIT
    timeout 10 mix hex.package fetch mime 2.0.7 --output "$probe/mime.tar" >/dev/null 2>&1 </dev/null
)

if ! mix hex.config >/dev/null 2>&1 </dev/null; then
    timeout 10 mix local.hex --force </dev/null || unavailable 'Hex cannot be reached'
fi

# The Erlang packages are built by rebar3: the system's, where there is one.
if rebar3=$(command -v rebar3); then
    export MIX_REBAR3="${MIX_REBAR3:-$rebar3}"
elif [ -z "${MIX_REBAR3:-}" ]; then
    timeout 20 mix local.rebar --force --if-missing </dev/null ||
        unavailable 'rebar3 not found, and Hex cannot be reached for it'
fi

# Asked first, since Hex would wait for each package in turn. Its cache may do without an answer.
if [ -z "${HEX_OFFLINE:-}" ] && ! hex_answers; then
    export HEX_OFFLINE=1
fi
if ! mix deps.get --only "$MIX_ENV" </dev/null; then
    [ -n "${HEX_OFFLINE:-}" ] || exit 1
    unavailable 'Hex cannot be reached'
fi

if [ "$MIX_ENV" = prod ]; then
    mix release --overwrite
else
    mix compile
fi
