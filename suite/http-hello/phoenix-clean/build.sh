#!/bin/sh
# Builds a release (in development mode: what `mix` runs). Where the packages cannot be had, it exits
# with 69 (EX_UNAVAILABLE) and says why in the last line: Hex is asked for a few seconds at most, and
# whatever mirror, offline mode or cache the user's Hex is set to is used. See docs/elixir.md.
set -eu
export MIX_ENV="${MIX_ENV:-prod}"
export HEX_HTTP_TIMEOUT="${HEX_HTTP_TIMEOUT:-10}"

unavailable() {
    echo "$1 (set HEX_MIRROR, or see docs/elixir.md)" >&2
    exit 69
}

if ! mix hex.config >/dev/null 2>&1 </dev/null; then
    timeout 15 mix local.hex --force </dev/null || unavailable 'Hex cannot be reached'
fi

# The Erlang packages are built by rebar3: the system's, where there is one.
if rebar3=$(command -v rebar3); then
    export MIX_REBAR3="${MIX_REBAR3:-$rebar3}"
elif [ -z "${MIX_REBAR3:-}" ]; then
    timeout 30 mix local.rebar --force --if-missing </dev/null ||
        unavailable 'rebar3 not found, and Hex cannot be reached for it'
fi

# Nothing is asked of anyone where deps/ is already in place and fits the lock file. A failure is the
# network's only if a package of the lock file cannot be fetched by itself either.
if ! mix deps.loadpaths --no-compile >/dev/null 2>&1 </dev/null &&
    ! timeout 120 mix deps.get --only "$MIX_ENV" </dev/null; then
    probe=$(mktemp -d)
    timeout 15 mix hex.package fetch mime 2.0.7 --output "$probe/mime.tar" </dev/null ||
        unavailable 'Hex cannot be reached'
    rm -r "$probe"
    exit 1
fi

if [ "$MIX_ENV" = prod ]; then
    mix release --overwrite
else
    mix compile
fi
