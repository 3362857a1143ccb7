"""HTTP servers."""

import random
import socket
from collections.abc import Generator, Mapping
from contextlib import ExitStack
from typing import Any

from deadheat import conformance, hosts
from deadheat.conformance import Check
from deadheat.hosts import ExitedError, Handle, Host, NotReadyError, StartError
from deadheat.kinds.base import Stage
from deadheat.kinds.server import READY_TIMEOUT_S, STOP_GRACE_S, ServerBlock, elsewhere, last_words
from deadheat.model.observation import Observation
from deadheat.model.plan import WorkloadPlan
from deadheat.schedule import Block, token


class HttpKind:
    """Every status and body checked: in full once a run, one token at each start, and under load."""

    def unavailable(self, race: WorkloadPlan) -> str | None:
        """It needs nothing but its contenders."""

    def check(self, stage: Stage, entry: str) -> Check:
        rng = random.Random(f"{stage.plan.seed}:check:{entry}")
        port = stage.host.free_port()
        with ExitStack() as stack:
            try:
                handle = stage.host.start(stage.spec(entry, {"port": port}))
            except StartError as error:
                return Check(False, 0, str(error))
            stack.callback(stage.host.stop, handle, STOP_GRACE_S)
            try:
                # Only that somebody listens: what it answers is for the cases to judge.
                hosts.ready(
                    stage.host, handle, lambda: _nobody(stage.host.address, port), READY_TIMEOUT_S, stage.stop
                )
            except ExitedError as error:
                return _exited(stage.host, handle, 0, error)
            except NotReadyError as error:
                reason = f"{error}{elsewhere(stage.host, handle, port)}"
                return Check(False, 0, reason, stage.host.collect(handle).output_tail)
            cases = conformance.http_cases(stage.workload.conformance, port, lambda: token(rng))
            found = conformance.run(cases)
            if not found.ok:
                try:
                    stage.host.usage(handle, memory=False)
                except ExitedError as error:
                    return _exited(stage.host, handle, found.cases, error)
            return found

    def block(self, stage: Stage, block: Block) -> Generator[Observation]:
        with ExitStack() as stack:
            yield from ServerBlock(stage, block, ask, target, stack).observe()


def _exited(host: Host, handle: Handle, cases: int, error: ExitedError) -> Check:
    """That it is gone says more than the answer that did not come."""
    return Check(False, cases, f"{error}{last_words(host, handle)}", host.collect(handle).output_tail)


def _nobody(address: str, port: int) -> str | None:
    with socket.create_connection((address, port), timeout=1):
        return None


def ask(stage: Stage, port: int, random_token: str) -> None:
    """The very request that the load sends, once. Raises Wrong, or OSError where nobody answers."""
    conformance.ask_http(stage.workload.expected(), port, random_token)


def target(stage: Stage, port: int) -> Mapping[str, Any]:
    request, expected = stage.workload.request, stage.workload.expected()
    assert request is not None
    return {
        "url": f"http://{stage.host.address}:{port}",
        "connections": stage.race.connections,
        "request": {
            "method": request.method,
            "path": request.path,
            "headers": [list(header) for header in request.headers.items()],
            "body": request.body,
        },
        "expect": {"status": expected.status, "body": expected.body},
    }
