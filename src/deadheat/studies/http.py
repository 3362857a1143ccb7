"""HTTP studies: wrk, asking for what the study asked for where the contender answers that."""

from __future__ import annotations

from deadheat.generators.registry import GENERATORS
from deadheat.kinds import conformance
from deadheat.kinds.conformance import Wrong
from deadheat.kinds.http import HttpKind, ask
from deadheat.model.workload import HttpCase
from deadheat.run.kind import Stage
from deadheat.studies.server import Loader, PublishedServers, Target, arguments


def published_http() -> PublishedServers:
    return PublishedServers(HttpKind(), ask, {"wrk": Loader(GENERATORS["wrk"], _aim)})


def _aim(stage: Stage, entry: str, port: int) -> Target:
    path, note = _path(stage, port)
    url = f"http://{stage.host.address}:{port}{path}"
    return Target(tuple(arguments(stage, entry)), url, note)


def _path(stage: Stage, port: int) -> tuple[str, str | None]:
    """The study's path if this contender gives the study's answer to it; else another, and a remark."""
    plan = stage.race.outside
    assert plan is not None and plan.path is not None
    if plan.body is None:
        _known(stage, port, plan.path)
        return plan.path, None
    try:
        conformance.ask_http(HttpCase(path=plan.path, body=plan.body), port, "")
    except Wrong:
        if plan.instead is None:
            raise
        _known(stage, port, plan.instead)
        return plan.instead, f'it does not answer {plan.path} with "{plan.body}": asked for {plan.instead}'
    return plan.path, None


def _known(stage: Stage, port: int, path: str) -> None:
    """The workload's own answer: `/hello` is `/{token}` with a token that never changes."""
    conformance.ask_http(stage.workload.expected(), port, path.removeprefix("/"))
