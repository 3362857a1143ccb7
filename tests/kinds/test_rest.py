"""How long a server is left alone, by its CPU time: of a host that tells it as written here."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from deadheat.hosts import Handle, Usage
from deadheat.hosts.meter import CpuTime
from deadheat.kinds.server import rest
from tests.made.written_down import FakeHost

LOOK_NS = round(rest.LOOK_S * 1e9)
SERVER = Handle("server", "server", 0)


class Working(FakeHost):
    """Its server has used so much more of a core at each look, the last of them for ever."""

    def __init__(self, shares: Sequence[float]) -> None:
        super().__init__([])
        self.shares, self.looks, self.used_ns = shares, 0, 0

    def usage(self, handle: Handle, *, memory: bool) -> Usage:
        if self.looks:
            share = self.shares[min(self.looks, len(self.shares)) - 1]
            self.used_ns += round(share * LOOK_NS)
        self.looks += 1
        return Usage(self.looks * LOOK_NS, (1,), 1, CpuTime(self.used_ns, 0), 0, None)


@pytest.fixture(autouse=True)
def _no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest, "time", SimpleNamespace(sleep=lambda _: None))


@pytest.mark.parametrize(
    ("shares", "looks", "working"),
    [
        ([0.0], 1, False),  # does nothing
        ([0.1], 1, False),  # wakes up by a timer
        ([1.0, 0.6, 0.3, 0.0], 4, False),  # a compiler that gets to it
        ([1.0], 200, True),  # not for ever
    ],
)
def test_a_server_is_left_alone_until_it_does_nothing(
    shares: Sequence[float], looks: int, working: bool
) -> None:
    found = rest.rest(Working(shares), SERVER)
    assert (round(found.seconds / rest.LOOK_S), found.working) == (looks, working)


def test_no_longer_than_is_left() -> None:
    assert rest.rest(Working([1.0]), SERVER, 0.0) == rest.Rest(rest.LOOK_S, True)
