"""HTTP servers."""

import random
from collections.abc import Generator, Mapping
from contextlib import ExitStack
from typing import Any

from deadheat.kinds import conformance
from deadheat.kinds.server import check as server_check
from deadheat.kinds.server.block import threads
from deadheat.kinds.server.cold import driven
from deadheat.kinds.server.protocol import ServerProtocol
from deadheat.kinds.services import start as services
from deadheat.model.observation import Observation
from deadheat.plan.schedule import Block, token
from deadheat.run.check import Check
from deadheat.run.kind import Stage


class HttpKind:
    """Every status and body checked: in full once a run, one token at each start, and under load."""

    def unavailable(self, stage: Stage) -> str | None:
        """It needs its contenders, and its services where it has any."""
        return services.lacking(stage)

    def check(self, stage: Stage, entry: str) -> Check:
        rng = random.Random(f"{stage.plan.seed}:check:{entry}")
        with ExitStack() as stack:
            stage, _ = services.beside(stage, stack)
            return server_check.check(
                stage,
                entry,
                lambda server: conformance.http_cases(
                    stage.workload.conformance, server.port, lambda: token(rng)
                ),
            )

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        with ExitStack() as stack:
            stage, running = services.beside(stage, stack)
            yield from driven(stage, block, PROTOCOL, stack)
            yield from running.ran(block.index)


def ask(stage: Stage, port: int, random_token: str) -> None:
    """The very request that the load sends, once. Raises Wrong, or OSError where nobody answers."""
    conformance.ask_http(stage.workload.expected(), port, random_token)


def target(stage: Stage, port: int) -> Mapping[str, Any]:
    request, expected = stage.workload.request, stage.workload.expected()
    assert request is not None
    return {
        "url": f"http://{stage.host.address}:{port}",
        "connections": stage.race.load.connections,
        "pipeline": stage.race.load.streams,
        **threads(stage.race),
        "request": {
            "method": request.method,
            "path": request.path,
            "headers": [list(header) for header in request.headers.items()],
            "body": request.body,
        },
        "expect": {"status": expected.status, "body": expected.body},
    }


PROTOCOL = ServerProtocol(ask, target)
