"""HTTP studies: wrk, asking for what the study asked for where the contender answers that."""

from __future__ import annotations

from deadheat.generators.registry import GENERATORS
from deadheat.kinds import http_asking
from deadheat.kinds.conformance import Wrong
from deadheat.kinds.http import HttpKind, ask
from deadheat.model.address import Address
from deadheat.model.work.http import HttpCase
from deadheat.run.kind import Stage
from deadheat.studies.server import Loader, PublishedServers, Target, arguments


def published_http() -> PublishedServers:
    return PublishedServers(HttpKind(), ask, {"wrk": Loader(GENERATORS["wrk"], _aim)})


def _aim(stage: Stage, entry: str, port: int) -> Target:
    at = Address(host=stage.host.address, port=port)
    path, note = _path(stage, at)
    url = f"{at.url}{path}"
    return Target(tuple(arguments(stage, entry)), url, note)


def _path(stage: Stage, at: Address) -> tuple[str, str | None]:
    """The study's path if this contender gives the study's answer to it; else another, and a remark."""
    plan = stage.race.outside
    assert plan is not None and plan.path is not None
    if plan.body is None:
        _known(stage, at, plan.path)
        return plan.path, None
    try:
        http_asking.ask_http(HttpCase(path=plan.path, body=plan.body), at, "")
    except Wrong:
        if plan.instead is None:
            raise
        _known(stage, at, plan.instead)
        return plan.instead, f'it does not answer {plan.path} with "{plan.body}": asked for {plan.instead}'
    return plan.path, None


def _known(stage: Stage, at: Address, path: str) -> None:
    """The workload's own answer: `/hello` is `/{token}` with a token that never changes."""
    http_asking.ask_http(stage.workload.expected(), at, path.removeprefix("/"))
