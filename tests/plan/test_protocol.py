"""`--tls` and `--http2`: whose races are over what, and what they are called."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deadheat import plan as planning
from deadheat.errors import UserError
from deadheat.kinds.registry import KINDS
from deadheat.model import http_protocol
from deadheat.model.http_protocol import HttpProtocol
from deadheat.model.plan import RacePlan
from deadheat.plan import Asked
from deadheat.suite.suite import Suite, load

SUITE = Path(__file__).parents[2] / "suite"
HELLO = Asked(workloads=("http-hello",), seed=1)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load(SUITE)


def races(asked: Asked, suite: Suite) -> list[RacePlan]:
    return list(planning.plan(asked, suite, tuple(KINDS)).workloads)


@pytest.mark.parametrize(
    ("tls", "http2", "protocol", "key"),
    [
        (True, False, "https", "http-hello [tls]"),
        (True, True, "h2", "http-hello [tls http2]"),
        (False, True, "h2c", "http-hello [http2]"),
    ],
)
def test_a_race_is_the_same_but_for_its_protocol_its_setting_and_its_notes(
    suite: Suite, tls: bool, http2: bool, protocol: HttpProtocol, key: str
) -> None:
    assert http_protocol.asked(tls=tls, http2=http2) == protocol
    (usual,), (over,) = races(HELLO, suite), races(replace(HELLO, protocol=protocol), suite)
    assert (over.key, over.protocol) == (key, protocol)
    assert usual.protocol is None
    said = " ".join(set(over.notes) - set(usual.notes))
    assert ("certificate" in said) is tls and ("handshake" in said) is tls
    plain = over.measured.replaced(protocol=None)
    assert over.replaced(setting=None, notes=usual.notes, measured=plain) == usual


def test_in_the_clear_nothing_was_asked() -> None:
    assert http_protocol.asked(tls=False, http2=False) is None


def test_a_load_is_behind_it_in_the_setting(suite: Suite) -> None:
    found = races(replace(HELLO, protocol="h2", connections=(64, 10), streams=(50,)), suite)
    assert [race.setting for race in found] == ["tls http2 streams=50", "tls http2 connections=10 streams=50"]


def test_of_a_whole_suite_those_race_that_are_asked_over_http(suite: Suite) -> None:
    assert {race.kind for race in races(Asked(seed=1, protocol="https"), suite)} == {"http"}


def test_a_workload_of_another_kind_is_refused(suite: Suite) -> None:
    with pytest.raises(UserError, match="grpc-unary is of kind grpc"):
        races(Asked(workloads=("http-hello", "grpc-unary"), seed=1, protocol="https"), suite)


def test_nobody_is_dropped_who_does_not_serve_it(suite: Suite) -> None:
    (usual,), (over,) = races(HELLO, suite), races(replace(HELLO, protocol="h2"), suite)
    assert [entry.id for entry in over.entries] == [entry.id for entry in usual.entries]
    assert suite.contender("http-hello", "ceiling").speaking("h2") is None
    assert "ceiling" in [entry.id for entry in over.entries]
