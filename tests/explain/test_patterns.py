"""Each pattern: what shows it, and what looks like it and is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat.explain import development, patterns
from deadheat.explain.reading import Reading
from deadheat.model.contender import Contender


def names(**values: float) -> set[str]:
    return {p.name for p in patterns.recognise("a", Reading(values=values), "a request")}


def test_nothing_known() -> None:
    assert names() == set()


@pytest.mark.parametrize(
    ("latency_ms", "cores", "known"),
    [(40.3, 0.1, True), (44.5, 0.27, True), (40.0, 0.98, False), (12.0, 0.1, False), (80.0, 0.1, False)],
)
def test_delayed_acknowledgement(latency_ms: float, cores: float, known: bool) -> None:
    found = names(latency_ms=latency_ms, cores=cores)
    assert found == ({"delayed acknowledgement"} if known else set())


@pytest.mark.parametrize(
    ("idle", "low", "known"),
    [(0.99, 0.0, True), (0.06, 0.0, True), (0.01, 300.0, False), (0.0, 3000.0, True), (0.0, 1500.0, False)],
)
def test_spinning(idle: float, low: float, known: bool) -> None:
    found = names(idle_cores=idle, low_load_cpu_us=low, cpu_us=20.0)
    assert found == ({"spinning"} if known else set())


def test_a_server_that_needs_much_cpu_does_not_spin() -> None:
    assert names(low_load_cpu_us=3000.0, cpu_us=2500.0) == set()


@pytest.mark.parametrize(("often", "known"), [(2.2, True), (0.5, False)])
def test_frequent_collection(often: float, known: bool) -> None:
    assert names(collections_per_1000=often) == ({"frequent collection"} if known else set())


def test_many_small_heaps_are_no_frequent_collection() -> None:
    reading = Reading(values={"collections_per_1000": 200.0}, facts={"heaps": "one a process"})
    assert patterns.recognise("a", reading, "a request") == ()


@pytest.mark.parametrize(
    ("segments", "sent", "known"), [(2.0, 135.0, True), (1.0, 135.0, False), (4.0, 60_000.0, False)]
)
def test_several_writes(segments: float, sent: float, known: bool) -> None:
    found = names(data_segments_sent=segments, bytes_sent=sent)
    assert found == ({"several writes"} if known else set())


def test_several_writes_by_calls_where_segments_are_not_known() -> None:
    reading = Reading(calls={"write": 1.0, "sendto": 2.0, "read": 5.0})
    [found] = patterns.recognise("a", reading, "a request")
    assert found.text == "writes 3.0 times a request: one write would do"


@pytest.mark.parametrize(("share", "known"), [("0.1", True), ("0.001", False)])
def test_closed_connections(share: str, known: bool) -> None:
    found = patterns.recognise("a", Reading(facts={"reconnects": share}), "a call")
    assert [p.name for p in found] == (["closed connections"] if known else [])


def contender(**changed: object) -> Contender:
    plain: dict[str, object] = {
        "workload": "w",
        "name": "a",
        "title": "A",
        "language": "Go",
        "class": "idiomatic",
        "needs": (),
        "build": None,
        "artifact": None,
        "run": "./server {port}",
        "env": {},
        "default": True,
        "max_n": None,
        "why": None,
        "folder": Path("a"),
    }
    return Contender.model_validate({**plain, **changed})


@pytest.mark.parametrize(
    ("changed", "sign"),
    [
        ({"env": {"MIX_ENV": "dev"}, "run": "mix phx.server"}, "MIX_ENV=dev"),
        ({"run": "mix phx.server"}, "without MIX_ENV=prod"),
        ({"language": "JavaScript"}, "NODE_ENV is not set"),
        ({"language": "JavaScript", "env": {"NODE_ENV": "development"}}, "NODE_ENV=development"),
        ({"env": {"RAILS_ENV": "development"}}, "RAILS_ENV=development"),
        ({"run": "uvicorn app --reload"}, "--reload watches"),
        ({"build": "cargo build"}, "does not optimise"),
        ({"build": "crystal build server.cr"}, "does not optimise"),
    ],
)
def test_development(changed: dict[str, object], sign: str) -> None:
    assert sign in (development.signs(contender(**changed)) or "")


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"run": "mix phx.server", "env": {"MIX_ENV": "prod"}},
        {"language": "JavaScript", "env": {"NODE_ENV": "production"}},
        {"build": "cargo build --locked --release"},
        {"build": "cargo build --locked --profile tuned"},
        {"build": "crystal build --release src/server.cr -o server"},
        {"env": {"RACK_ENV": "production"}},
    ],
)
def test_production(changed: dict[str, object]) -> None:
    assert development.signs(contender(**changed)) is None


def test_development_is_a_pattern() -> None:
    [found] = patterns.recognise("a", Reading(facts={"development": "MIX_ENV=dev"}), "a request")
    assert (found.name, found.text) == ("development mode", "runs in development mode: MIX_ENV=dev")
