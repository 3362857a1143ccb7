"""Signs that a contender runs as its developers run it: in its manifest's own words."""

from __future__ import annotations

import re

from deadheat.model.contender import Contender

_ENVIRONMENTS = ("MIX_ENV", "RAILS_ENV", "RACK_ENV", "APP_ENV", "FLASK_ENV", "ASPNETCORE_ENVIRONMENT")
_NOT_PRODUCTION = ("dev", "development", "test")


def signs(contender: Contender) -> str | None:
    """What speaks for development mode, in a clause; None where nothing does."""
    found = [*_environment(contender), *_node(contender), *_commands(contender), *_unoptimised(contender)]
    return "; ".join(found) or None


def _environment(contender: Contender) -> list[str]:
    return [
        f"{name}={value}"
        for name, value in contender.env.items()
        if name in _ENVIRONMENTS and value.lower() in _NOT_PRODUCTION
    ]


def _node(contender: Contender) -> list[str]:
    if contender.language.lower() not in ("javascript", "typescript"):
        return []
    if "NODE_ENV" not in contender.env and "NODE_ENV=production" not in contender.run:
        return ["NODE_ENV is not set, so Express and others take it for development"]
    if contender.env.get("NODE_ENV", "production") != "production":
        return [f"NODE_ENV={contender.env['NODE_ENV']}"]
    return []


def _commands(contender: Contender) -> list[str]:
    """Servers that watch their sources."""
    found = []
    production = "prod" in (contender.env.get("MIX_ENV", ""),) or "MIX_ENV=prod" in contender.run
    if re.search(r"\bmix (phx\.server|run)\b", contender.run) and not production:
        found.append(f"{contender.run}, without MIX_ENV=prod, reloads code and keeps debug checks")
    found += [
        f"{flag} watches the sources" for flag in ("--reload", "--watch") if flag in contender.run.split()
    ]
    return found


def _unoptimised(contender: Contender) -> list[str]:
    build = contender.build or ""
    found = []
    if re.search(r"\bcargo build\b(?!.*(--release|--profile))", build):
        found.append("cargo build without --release does not optimise")
    if re.search(r"\bcrystal build\b(?!.*--release)", build):
        found.append("crystal build without --release does not optimise")
    if re.search(r"\bgo build\b.*-gcflags\S*-N", build):
        found.append("go build -gcflags=-N does not optimise")
    return found
