"""HTTP servers."""

import random
from collections.abc import Generator, Mapping
from contextlib import ExitStack
from typing import Any

from deadheat import conformance
from deadheat.conformance import Check
from deadheat.kinds import server_check
from deadheat.kinds.base import Stage
from deadheat.kinds.server import ServerBlock, threads
from deadheat.model.observation import Observation
from deadheat.model.plan import WorkloadPlan
from deadheat.schedule import Block, token


class HttpKind:
    """Every status and body checked: in full once a run, one token at each start, and under load."""

    def unavailable(self, race: WorkloadPlan) -> str | None:
        """It needs nothing but its contenders."""

    def check(self, stage: Stage, entry: str) -> Check:
        rng = random.Random(f"{stage.plan.seed}:check:{entry}")
        return server_check.check(
            stage,
            entry,
            lambda server: conformance.http_cases(
                stage.workload.conformance, server.port, lambda: token(rng)
            ),
        )

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        with ExitStack() as stack:
            yield from ServerBlock(stage, block, ask, target, stack).observe()


def ask(stage: Stage, port: int, random_token: str) -> None:
    """The very request that the load sends, once. Raises Wrong, or OSError where nobody answers."""
    conformance.ask_http(stage.workload.expected(), port, random_token)


def target(stage: Stage, port: int) -> Mapping[str, Any]:
    request, expected = stage.workload.request, stage.workload.expected()
    assert request is not None
    return {
        "url": f"http://{stage.host.address}:{port}",
        "connections": stage.race.connections,
        **threads(stage.race),
        "request": {
            "method": request.method,
            "path": request.path,
            "headers": [list(header) for header in request.headers.items()],
            "body": request.body,
        },
        "expect": {"status": expected.status, "body": expected.body},
    }
