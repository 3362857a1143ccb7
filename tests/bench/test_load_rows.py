"""The rows of `make bench`: those that it should have, their servers, and how peers' reports are read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from bench.load import generator, like_life, measure, truth
from bench.load.generator import Broken, Counted, Generator
from bench.load.measure import Unavailable
from bench.load.pair import Pair
from bench.load.pairs import pairs
from bench.load.peers.gcannon import gcannon
from bench.load.peers.h2load import h2load_unix
from bench.load.peers.zrk import zrk

from deadheat.generators.engine import find_binary

SECONDS = 0.3
# Ten thousand connections want more than a machine of many tests has.
TOO_MANY = "wrk-10000"
LIKE_LIFE = {
    "wrk-heads", "wrk-json", "wrk-16384", "wrk-65536", "wrk-1048576", "wrk-tls", "redis-keys",
    TOO_MANY, "wrk-threads-2", "redis-unix", "h2load-unix", "gcannon-64", "gcannon-256", "gcannon-ws",
    "zrk-open", "oha-tick", "drawn-1", "drawn-16",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine that is installed here, on whatever cores there are."""
    for module in (generator, measure, truth):
        monkeypatch.setattr(module, "LOAD", Path(find_binary()))


def rows(folder: Path) -> dict[str, Pair]:
    return {pair.name: pair for pair in pairs(folder)}


def test_every_row_is_there_once(tmp_path: Path) -> None:
    names = [pair.name for pair in pairs(tmp_path)]
    assert len(set(names)) == len(names)
    assert set(names) >= LIKE_LIFE


def test_goals_are_those_of_the_table() -> None:
    assert (like_life.GOAL, like_life.GOAL_OF_LARGE, like_life.GOAL_OF_TLS) == (0.85, 0.80, 1.0)


def own(pair: Pair) -> list[Generator]:
    """Ours, which wait as long as a busy machine may take."""

    def patient(one: Generator) -> Generator:
        return replace(one, argv=lambda address, seconds: [*one.argv(address, seconds), "--timeout", "60s"])

    return [patient(one) for one in pair.generators if one.name.startswith("deadheat-load")]


@pytest.mark.parametrize("name", sorted(LIKE_LIFE - {TOO_MANY}))
def test_each_server_answers_as_ours_expects(name: str, tmp_path: Path) -> None:
    pair = rows(tmp_path)[name]
    try:
        with pair.serve() as address:
            samples = [generator.sample(address, SECONDS) for generator in own(pair)]
    except Unavailable as error:
        pytest.skip(str(error))
    except RuntimeError as error:
        if "io_uring" in str(error):
            pytest.skip(f"where the kernel refuses it: {error}")
        raise
    assert samples
    assert all(sample.requests_per_s > 0 and sample.cpu_s_per_million > 0 for sample in samples)


def test_two_threads_have_both_cores(tmp_path: Path) -> None:
    assert {one.cpus for one in rows(tmp_path)["wrk-threads-2"].generators} == {measure.BOTH_CPUS}
    assert {one.cpus for one in rows(tmp_path)["wrk-heads"].generators} == {str(measure.GENERATOR_CPU)}


def test_gcannons_report() -> None:
    report = {
        "version": "0.5.2",
        "elapsed_sec": 2.0,
        "responses": 1_000,
        "latency_us": {"p50": 250},
        "status": {"2xx": 1_000, "3xx": 0, "4xx": 0, "5xx": 0, "other": 0},
        "errors": {"connect": 0, "read": 0, "timeout": 0},
    }
    assert gcannon("gcannon", 64).count(json.dumps(report)) == Counted(1_000, 2.0, 0.25, "0.5.2")
    for failed in ({"errors": {"read": 1}}, {"status": {"2xx": 999, "5xx": 1}}):
        with pytest.raises(Broken):
            gcannon("gcannon", 64).count(json.dumps(report | failed))


def test_zrks_report() -> None:
    report = {
        "zrk_version": "1.4.2",
        "requests": 60,
        "duration_s": 3.0,
        "latency_us": {"p50": 100},
        "errors": {"read": 0, "non_2xx_3xx": 0},
    }
    assert zrk("zrk", 20, 4).count(json.dumps(report)) == Counted(60, 3.0, 0.1, "1.4.2")
    with pytest.raises(Broken):
        zrk("zrk", 20, 4).count(json.dumps(report | {"errors": {"read": 1}}))


def test_h2load_goes_to_the_socket_and_its_report() -> None:
    peer = h2load_unix("h2load", 64, Path("/run/a.sock"))
    argv = peer.argv("127.0.0.1:80", 2.0)
    assert argv[argv.index("-B") + 1] == "unix:/run/a.sock"
    report = "requests: 9 total, 9 started, 9 done, {} succeeded, {} failed, 0 errored, 0 timeout"
    assert peer.count(report.format(9, 0)) == Counted(9)
    with pytest.raises(Broken):
        peer.count(report.format(8, 1))


def test_what_is_planted_in_messages_is_told() -> None:
    message, ping = truth.messages(seconds=3)
    assert message.p50 >= message.planted
    assert ping.p50 > 0
