"""Nothing above the seam knows which host it is."""

from __future__ import annotations

import ast
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

import deadheat
from deadheat.hosts import ExitedError, NotReadyError, StartError
from deadheat.hosts.local import LocalHost
from deadheat.hosts.meter import CpuTime
from deadheat.hosts.program import Exit, Why

SOURCES = Path(deadheat.__file__).parent
BELOW = {"deadheat.hosts.process", "deadheat.hosts.local"}


def imports(source: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_no_room_but_hosts_names_a_host() -> None:
    """All others take what they are given."""
    offenders = {
        str(source.relative_to(SOURCES))
        for source in SOURCES.rglob("*.py")
        if source.parent.name != "hosts" and BELOW & set(imports(source))
    }
    assert offenders == set()


@pytest.mark.parametrize(
    "error",
    [
        StartError("cannot run it"),
        NotReadyError(1.5, "got 404"),
        ExitedError(Exit(1, None, Why.EXIT, 2, 1, CpuTime(0, 0), None, None, 0, 0, 0, None)),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_cross_the_seam_whole(error: Exception) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))


def test_a_host_can_be_used_as_a_context(tmp_path: Path) -> None:
    with LocalHost() as host:
        assert host.now_ns() > 0
