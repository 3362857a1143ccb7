"""Several generators as one: what they count adds up, and they begin together."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram

from deadheat.generators.engine import Engine, find_binary
from deadheat.generators.load_generator import Counted, LoadError
from deadheat.generators.several import Clock, Member, Several, added, shared
from deadheat.hosts.local import LocalHost
from deadheat.model.histogram import DIGITS, HIGHEST_NS, LOWEST_NS

REQUEST = {"request": {"path": "/{token}"}, "expect": {"status": 200, "body": "Hello from {token}!"}}


@dataclass
class Ahead:
    """A host whose clock is ahead, and which takes a while to say so."""

    ahead_ns: int
    takes_ns: int = 0
    at_ns: int = 0

    def now_ns(self) -> int:
        self.at_ns += self.takes_ns
        return self.at_ns + self.ahead_ns


def histogram(*values_ns: int) -> str:
    made = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    for value in values_ns:
        made.record_value(value)
    text: bytes = made.encode()
    return text.decode()


def decoded(text: str) -> HdrHistogram:
    made = HdrHistogram(LOWEST_NS, HIGHEST_NS, DIGITS)
    made.decode_and_add(text)
    return made


@pytest.fixture
def several(tmp_path: Path) -> Iterator[Several]:
    """Two engines on this machine, the clock of one a second ahead of the other's."""
    with ExitStack() as stack:
        host = stack.enter_context(LocalHost())
        cpu = min(cpu for core in host.cores() for cpu in core)
        engines = [stack.enter_context(Engine(host, (cpu,), tmp_path / f"{n}.log")) for n in (1, 2)]
        members = [Member(f"10.0.0.{n}", engine, Clock(0, 50_000)) for n, engine in enumerate(engines, 1)]
        yield stack.enter_context(Several(members, host.now_ns))


@contextmanager
def serving() -> Iterator[int]:
    """The port of a server that says hello."""
    argv = [find_binary(), "serve", "http", "--port", "0"]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        yield int(server.stderr.readline().rpartition(":")[2].split("/")[0])
        server.terminate()


@pytest.mark.parametrize(("count", "among", "shares"), [(64, 2, [32, 32]), (5, 3, [2, 2, 1]), (2, 2, [1, 1])])
def test_shares_are_whole_and_come_to_all(count: int, among: int, shares: list[int]) -> None:
    assert shared(count, among) == shares and sum(shares) == count


def test_a_clock_is_known_to_half_of_what_asking_takes() -> None:
    ours = Ahead(0)
    other = Ahead(7_000_000)
    assert Clock.of(other, ours) == Clock(7_000_000, 0)


def test_histograms_are_added_cell_by_cell() -> None:
    both = added([Counted(histogram(2_000, 3_000_000)), Counted(histogram(2_000, 900_000_000))])
    one = histogram(2_000, 2_000, 3_000_000, 900_000_000)
    assert both.service_hdr is None and both.by_request == ()
    for at in (25, 50, 75, 99, 100):
        assert decoded(both.hdr).get_value_at_percentile(at) == decoded(one).get_value_at_percentile(at)
    assert decoded(both.hdr).get_total_count() == 4


def test_of_a_mix_each_name_is_added() -> None:
    def of(name: str, replies: int, longest_ns: int) -> dict[str, Any]:
        return {
            "name": name,
            "replies": replies,
            "errors": 1,
            "latency_sum_ns": replies * 1000,
            "latency_max_ns": longest_ns,
            "hdr": histogram(*[2_000] * replies),
        }

    both = added(
        [
            Counted(histogram(2_000), by_request=(of("read", 3, 5_000), of("write", 1, 4_000))),
            Counted(histogram(2_000), by_request=(of("read", 2, 9_000),)),
        ]
    )
    read, write = both.by_request
    assert (read["name"], read["replies"], read["errors"], read["latency_max_ns"]) == ("read", 5, 2, 9_000)
    assert (write["name"], write["replies"]) == ("write", 1)
    assert decoded(read["hdr"]).get_total_count() == 5


def test_a_turn_of_two_engines(several: Several) -> None:
    with serving() as port:
        several.open("t", f"http://127.0.0.1:{port}", 5, **REQUEST)
        counted = several.turn("t", "abc", 20, 60, pids=[])
        one, other = counted["generators"]
        assert one["replies"] + other["replies"] == counted["replies"] > 0
        assert counted["replies"] == decoded(several.histogram("t").hdr).get_total_count()
        assert sum(counted["errors"].values()) == 0
        assert {one["host"], other["host"]} == {"10.0.0.1", "10.0.0.2"}
        # By one clock here: the first begins when it was asked to, the other not before.
        assert min(one["late_ns"], other["late_ns"]) == 0
        assert counted["counted_until_ns"] > counted["counted_from_ns"] > counted["started_ns"]
        assert sum(counted["bins"]) <= counted["replies_all"]
        at_rate = several.turn("t", "abd", 20, 200, pids=[], rate=200.0, arrivals="constant", seed=1)
        assert at_rate["open_loop"]["asked_rps"] == pytest.approx(200.0)
        assert at_rate["open_loop"]["due"] == pytest.approx(40, abs=4)
        all_of_them = several.turn("t", "abe", 0, 5_000, requests=11)
        assert all_of_them["replies_all"] == 11
        several.close_target("t")


def test_each_has_at_least_a_connection(several: Several) -> None:
    with serving() as port, pytest.raises(LoadError, match="1 connections cannot be shared by 2"):
        several.open("t", f"http://127.0.0.1:{port}", 1, **REQUEST)


def test_what_one_cannot_do_is_an_error_of_all(several: Several) -> None:
    with serving() as port:
        several.open("t", f"http://127.0.0.1:{port}", 2, **REQUEST)
        with pytest.raises(LoadError, match="counted_ms has to be above 0"):
            several.turn("t", "abc", 0, 0)
        with pytest.raises(LoadError, match="more than a minute ahead"):
            several.turn("t", "abc", 0, 10, at_ns=2**62)
